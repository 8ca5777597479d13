/** Descriptors of files, as reflection sends them and as proto files are turned into. */

export interface FeatureSet {
  /** 1 explicit, 2 implicit, 3 required. */
  readonly fieldPresence?: number;
  /** 1 packed, 2 expanded. */
  readonly repeatedFieldEncoding?: number;
  /** 1 length-prefixed, 2 delimited, as groups are. */
  readonly messageEncoding?: number;
}

export interface FieldDescriptor {
  readonly name?: string;
  readonly number?: number;
  /** 1 optional, 2 required, 3 repeated. */
  readonly label?: number;
  /** The number of the type; absent where only `typeName` is known. */
  readonly type?: number;
  readonly typeName?: string;
  readonly oneofIndex?: number;
  readonly jsonName?: string;
  readonly proto3Optional?: boolean;
  readonly options?: {
    readonly packed?: boolean;
    readonly deprecated?: boolean;
    readonly features?: FeatureSet;
  };
  readonly doc?: string;
}

export interface EnumDescriptor {
  readonly name?: string;
  readonly value: readonly { readonly name?: string; readonly number?: number }[];
}

export interface MessageDescriptor {
  readonly name?: string;
  readonly field: readonly FieldDescriptor[];
  readonly nestedType: readonly MessageDescriptor[];
  readonly enumType: readonly EnumDescriptor[];
  readonly oneofDecl: readonly { readonly name?: string }[];
  readonly options?: { readonly mapEntry?: boolean; readonly features?: FeatureSet };
  readonly doc?: string;
}

export interface MethodDescriptor {
  readonly name?: string;
  readonly inputType?: string;
  readonly outputType?: string;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  readonly options?: { readonly deprecated?: boolean; readonly idempotencyLevel?: number };
  readonly doc?: string;
}

export interface ServiceDescriptor {
  readonly name?: string;
  readonly method: readonly MethodDescriptor[];
  readonly doc?: string;
}

export interface FileDescriptor {
  readonly name?: string;
  readonly package?: string;
  readonly dependency: readonly string[];
  readonly messageType: readonly MessageDescriptor[];
  readonly enumType: readonly EnumDescriptor[];
  readonly service: readonly ServiceDescriptor[];
  readonly options?: { readonly features?: FeatureSet };
  readonly syntax?: string;
  readonly edition?: number;
  readonly sourceCodeInfo?: {
    readonly location: readonly {
      readonly path: readonly number[];
      readonly leadingComments?: string;
      readonly trailingComments?: string;
    }[];
  };
}
