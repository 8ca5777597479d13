/** What is known of a gRPC server: plain JSON, cached as it is. */

export const DEFINITION_FORMAT = 1;

export const SCALAR_TYPES = [
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  'bytes',
  'uint32',
  'sfixed32',
  'sfixed64',
  'sint32',
  'sint64',
] as const;
export type ScalarType = (typeof SCALAR_TYPES)[number];

export interface FieldModel {
  /** Its name in JSON. */
  readonly name: string;
  readonly number: number;
  readonly type: ScalarType | 'message' | 'group' | 'enum';
  /** The full name of the message or enum. */
  readonly ref?: string;
  /** It is a list, or a map where the message that it refers to is an entry. */
  readonly many?: true;
  readonly packed?: true;
  /** Absent and zero are different. */
  readonly presence?: true;
  readonly required?: true;
  /** The group of fields of which at most one is set. */
  readonly oneof?: string;
  readonly doc?: string;
}

export interface MessageModel {
  readonly fields: readonly FieldModel[];
  /** It is the entry of a map: field 1 is the key, field 2 the value. */
  readonly entry?: true;
  readonly doc?: string;
}

export interface EnumModel {
  /** Several names may have the same number; the first one is written. */
  readonly values: readonly (readonly [name: string, number: number])[];
}

export interface MethodModel {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly clientStream?: true;
  readonly serverStream?: true;
  readonly idempotency?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT';
  readonly deprecated?: true;
  readonly doc?: string;
}

export interface ServiceModel {
  /** With its package. */
  readonly name: string;
  readonly methods: readonly MethodModel[];
  readonly doc?: string;
}

export interface TypeModels {
  readonly messages: Readonly<Record<string, MessageModel>>;
  readonly enums: Readonly<Record<string, EnumModel>>;
}

export interface GrpcDefinition extends TypeModels {
  readonly format: typeof DEFINITION_FORMAT;
  readonly services: readonly ServiceModel[];
  /** Services whose definition could not be had, and why. */
  readonly missing: readonly { readonly name: string; readonly reason: string }[];
  /** Certificates of the authorities that the server is checked against, as PEM. */
  readonly ca?: string;
}
