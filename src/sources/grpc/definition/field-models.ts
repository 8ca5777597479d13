/** Makes the fields of a message from its descriptor: type, presence, encoding and name in JSON. */
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { isIdentifier } from './checked-names.ts';
import { docText } from './comments.ts';
import type { FeatureSet, FieldDescriptor, MessageDescriptor } from './descriptors.ts';
import { type FieldModel, SCALAR_TYPES, type ScalarType } from './model.ts';
import type { Resolver } from './resolve-type.ts';

export interface MessageScope {
  /** Of the message, with its package. */
  readonly name: string;
  /** `proto2`, `proto3` or `editions`. */
  readonly syntax: string;
  /** Those of the file and of the messages around. */
  readonly features: FeatureSet;
}

const GROUP = 10;
const MESSAGE = 11;
const ENUM = 14;
/** Of the feature `field_presence`. */
const IMPLICIT = 2;

/** The scalar types by their numbers in descriptors. */
const BY_NUMBER: ReadonlyMap<number, ScalarType> = new Map(
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 18].map((number, at) => [
    number,
    SCALAR_TYPES[at] as ScalarType,
  ]),
);

const MAX_FIELD_NUMBER = 536_870_911;
const JSON_NAME = /^[\x21-\x7e]{1,128}$/;

/** Writes `user_id` as `userId`. */
const camelName = (name: string): string =>
  name.replaceAll(/_+([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns the JSON name of a field. A name that no object may have is replaced by one made from the field's
 * name.
 */
const jsonNameOf = ({ name = '', jsonName }: FieldDescriptor): string => {
  const isSound = jsonName !== undefined && JSON_NAME.test(jsonName) && !isPrototypeKey(jsonName);
  const made = isSound ? jsonName : camelName(name);
  return made === '' || isPrototypeKey(made) ? name : made;
};

type FieldType = Pick<FieldModel, 'type' | 'ref'>;

/** Resolves the type of a field; `undefined` when there is no such type. */
const typeOf = (
  { type, typeName = '' }: FieldDescriptor,
  { scope, isDelimited }: { readonly scope: MessageScope; readonly isDelimited: boolean },
  resolve: Resolver,
): FieldType | undefined => {
  const scalar = type === undefined ? undefined : BY_NUMBER.get(type);
  if (scalar) return { type: scalar };
  const target = resolve(typeName, scope.name);
  if (!target) return undefined;
  if (target.kind === 'enum')
    return type === ENUM || type === undefined ? { type: 'enum', ref: target.name } : undefined;
  if (type !== undefined && type !== MESSAGE && type !== GROUP) return undefined;
  return { type: type === GROUP || isDelimited ? 'group' : 'message', ref: target.name };
};

const hasPresence = (field: FieldDescriptor, type: FieldType, presence: number): boolean => {
  if (type.type === 'message' || type.type === 'group') return true;
  return field.oneofIndex !== undefined || field.proto3Optional === true || presence !== IMPLICIT;
};

/** Returns the features that the syntax of a file implies where it sets none. */
const defaultsOf = (syntax: string): Required<FeatureSet> => ({
  fieldPresence: syntax === 'proto3' ? 2 : 1,
  repeatedFieldEncoding: syntax === 'proto2' ? 2 : 1,
  messageEncoding: 1,
});

const fieldModel = (
  field: FieldDescriptor,
  { oneofDecl, options: own }: MessageDescriptor,
  { scope, resolve }: { readonly scope: MessageScope; readonly resolve: Resolver },
): FieldModel | undefined => {
  const { name = '', number = 0, label, options } = field;
  if (!isIdentifier(name) || number < 1 || number > MAX_FIELD_NUMBER) return undefined;
  const features = { ...defaultsOf(scope.syntax), ...scope.features, ...options?.features };
  const type = typeOf(field, { scope, isDelimited: features.messageEncoding === 2 }, resolve);
  if (!type) return undefined;
  const isMany = label === 3;
  const isNumeric = !['string', 'bytes', 'message', 'group'].includes(type.type);
  const isPacked = options?.packed ?? features.repeatedFieldEncoding === 1;
  const isRequired = label === 2 || features.fieldPresence === 3;
  const oneof = field.proto3Optional ? undefined : oneofDecl[field.oneofIndex ?? -1]?.name;
  // A key or value of a map that is absent always stands for zero.
  const presence = own?.mapEntry ? IMPLICIT : features.fieldPresence;
  const hasOwnPresence = !isMany && hasPresence(field, type, presence);
  return {
    name: jsonNameOf(field),
    number,
    ...type,
    ...(isMany && { many: true }),
    ...(isMany && isNumeric && isPacked && { packed: true }),
    ...(hasOwnPresence && { presence: true }),
    ...(isRequired && !isMany && { required: true }),
    ...(oneof !== undefined && { oneof }),
    ...docText(field.doc),
  };
};

/** Leaves out fields that are not sound. Two fields of one name in JSON keep their own names. */
export const fieldModels = (
  message: MessageDescriptor,
  scope: MessageScope,
  resolve: Resolver,
): readonly FieldModel[] => {
  const models = message.field.flatMap((field) => {
    const model = fieldModel(field, message, { scope, resolve });
    return model ? [{ model, own: field.name ?? '' }] : [];
  });
  const counts = new Map<string, number>();
  for (const { model } of models) counts.set(model.name, (counts.get(model.name) ?? 0) + 1);
  const numbers = new Set<number>();
  const names = new Set<string>();
  return models.flatMap(({ model, own }) => {
    const isTaken = (counts.get(model.name) ?? 0) > 1;
    const name = isTaken && !isPrototypeKey(own) ? own : model.name;
    if (numbers.has(model.number) || names.has(name) || isPrototypeKey(name)) return [];
    numbers.add(model.number);
    names.add(name);
    return [{ ...model, name }];
  });
};
