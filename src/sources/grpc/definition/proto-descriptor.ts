/** Turns what the parser made of a proto file into a descriptor, the form that reflection has. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type {
  EnumDescriptor,
  FeatureSet,
  FieldDescriptor,
  FileDescriptor,
  MessageDescriptor,
  ServiceDescriptor,
} from './descriptors.ts';
import { SCALAR_TYPES } from './model.ts';

type Node = Readonly<Record<string, unknown>>;

const nodeOf = (value: unknown): Node => (isRecord(value) ? value : {});
const entriesOf = (value: unknown): readonly (readonly [string, Node])[] =>
  Object.entries(nodeOf(value)).map(([name, node]) => [name, nodeOf(node)] as const);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const docOf = ({ comment }: Node): { readonly doc?: string } =>
  typeof comment === 'string' ? { doc: comment } : {};

const NUMBERS: ReadonlyMap<string, number> = new Map(
  SCALAR_TYPES.map((type, at) => [
    type as string,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 18][at] as number,
  ]),
);

const PRESENCE = ['', 'EXPLICIT', 'IMPLICIT', 'LEGACY_REQUIRED'];
const REPEATED = ['', 'PACKED', 'EXPANDED'];
const ENCODING = ['', 'LENGTH_PREFIXED', 'DELIMITED'];

const numberIn = (names: readonly string[], value: unknown): number | undefined => {
  const at = typeof value === 'string' ? names.indexOf(value) : -1;
  return at > 0 ? at : undefined;
};

const featuresOf = (options: unknown): { readonly features?: FeatureSet } => {
  const features = nodeOf(nodeOf(options).features);
  const fieldPresence = numberIn(PRESENCE, features.field_presence);
  const repeatedFieldEncoding = numberIn(REPEATED, features.repeated_field_encoding);
  const messageEncoding = numberIn(ENCODING, features.message_encoding);
  return {
    features: {
      ...(fieldPresence !== undefined && { fieldPresence }),
      ...(repeatedFieldEncoding !== undefined && { repeatedFieldEncoding }),
      ...(messageEncoding !== undefined && { messageEncoding }),
    },
  };
};

const LABELS: Readonly<Record<string, number>> = { required: 2, repeated: 3 };

const typeFields = (type: string): Pick<FieldDescriptor, 'type' | 'typeName'> => {
  const number = NUMBERS.get(type);
  return number === undefined ? { typeName: type } : { type: number };
};

interface OwnOneofs {
  readonly names: readonly string[];
  /** The index of the oneof of a field. */
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Lists the oneofs without those that stand for `optional` in proto3. */
const oneofsOf = (message: Node): OwnOneofs => {
  const fields = nodeOf(message.fields);
  const own = entriesOf(message.oneofs).flatMap(([name, { oneof }]) => {
    const members = Array.isArray(oneof) ? oneof.map(String) : [];
    const isOptional = members.some(
      (field) => nodeOf(nodeOf(fields[field]).options).proto3_optional === true,
    );
    return isOptional ? [] : [{ name, members }];
  });
  return {
    names: own.map(({ name }) => name),
    indexOf: new Map(own.flatMap(({ members }, at) => members.map((field) => [field, at]))),
  };
};

const entryName = (field: string): string => `Entry_${field}`;

const fieldOf = (
  [name, field]: readonly [string, Node],
  oneofs: OwnOneofs,
  groups: ReadonlySet<string>,
): FieldDescriptor => {
  const options = nodeOf(field.options);
  const jsonName = textOf(options.json_name);
  const oneofIndex = oneofs.indexOf.get(name);
  const isMap = field.keyType !== undefined;
  const type = String(field.type);
  return {
    name,
    number: Number(field.id),
    label: isMap ? 3 : (LABELS[String(field.rule)] ?? 1),
    ...(isMap ? { typeName: entryName(name) } : typeFields(type)),
    ...(groups.has(type) && { type: 10 }),
    ...(jsonName !== undefined && { jsonName }),
    ...(oneofIndex !== undefined && { oneofIndex }),
    ...(options.proto3_optional === true && { proto3Optional: true }),
    options: {
      ...(typeof options.packed === 'boolean' && { packed: options.packed }),
      ...featuresOf(options),
    },
    ...docOf(field),
  };
};

const mapEntry = ([name, field]: readonly [string, Node]): readonly MessageDescriptor[] =>
  field.keyType === undefined
    ? []
    : [
        {
          name: entryName(name),
          nestedType: [],
          enumType: [],
          oneofDecl: [],
          field: [
            { name: 'key', number: 1, label: 1, ...typeFields(String(field.keyType)) },
            { name: 'value', number: 2, label: 1, ...typeFields(String(field.type)) },
          ],
          options: { mapEntry: true },
        },
      ];

const messageOf = ([name, node]: readonly [string, Node]): MessageDescriptor => {
  const nested = entriesOf(node.nested);
  const fields = entriesOf(node.fields);
  const oneofs = oneofsOf(node);
  const groups = new Set(nested.flatMap(([own, { group }]) => (group === true ? [own] : [])));
  return {
    name,
    field: fields.map((field) => fieldOf(field, oneofs, groups)),
    nestedType: [
      ...nested.filter(([, one]) => one.fields !== undefined).map(messageOf),
      ...fields.flatMap(mapEntry),
    ],
    enumType: nested.filter(([, one]) => one.values !== undefined).map(enumOf),
    oneofDecl: oneofs.names.map((own) => ({ name: own })),
    options: featuresOf(node.options),
    ...docOf(node),
  };
};

const enumOf = ([name, { values }]: readonly [string, Node]): EnumDescriptor => ({
  name,
  value: Object.entries(nodeOf(values)).map(([own, number]) => ({
    name: own,
    number: Number(number),
  })),
});

const LEVELS = ['IDEMPOTENCY_UNKNOWN', 'NO_SIDE_EFFECTS', 'IDEMPOTENT'];

const serviceOf = ([name, node]: readonly [string, Node]): ServiceDescriptor => ({
  name,
  method: entriesOf(node.methods).map(([own, method]) => {
    const options = nodeOf(method.options);
    const level = LEVELS.indexOf(String(options.idempotency_level));
    return {
      name: own,
      inputType: String(method.requestType),
      outputType: String(method.responseType),
      ...(method.requestStream === true && { clientStreaming: true }),
      ...(method.responseStream === true && { serverStreaming: true }),
      options: {
        ...(options.deprecated === true && { deprecated: true }),
        ...(level > 0 && { idempotencyLevel: level }),
      },
      ...docOf(method),
    };
  }),
  ...docOf(node),
});

/** The first statement of a file; comments may stand before it. */
const SYNTAX = /^\s*(syntax|edition)\s*=\s*["']([\w.]+)["']/m;

const syntaxOf = (text: string): Pick<FileDescriptor, 'syntax' | 'edition'> => {
  const [, word, value = 'proto2'] = SYNTAX.exec(text.replace(/\/\*[\s\S]*?\*\//g, '')) ?? [];
  return word === 'edition' ? { edition: Number(value) || 0 } : { syntax: value };
};

/** Finds the node of the package. The parser makes a namespace of each part of its name. */
const packageNode = (tree: unknown, name: string): Node =>
  name
    .split('.')
    .filter((part) => part !== '')
    .reduce((node, part) => nodeOf(nodeOf(node.nested)[part]), nodeOf(tree));

/** Converts a parsed proto file to a descriptor. `tree` is the parser's JSON form, `name` the package. */
export const protoDescriptor = (tree: unknown, name: string, text: string): FileDescriptor => {
  const node = packageNode(tree, name);
  const own = entriesOf(node.nested);
  return {
    package: name,
    dependency: [],
    messageType: own.filter(([, one]) => one.fields !== undefined).map(messageOf),
    enumType: own.filter(([, one]) => one.values !== undefined).map(enumOf),
    service: own.filter(([, one]) => one.methods !== undefined).map(serviceOf),
    options: featuresOf(node.options),
    ...syntaxOf(text),
  };
};
