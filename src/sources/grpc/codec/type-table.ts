/** The messages and enums of a definition, ready to convert: fields by number and by name. */
import { KNOWN_TYPES } from '../definition/known-types.ts';
import type { EnumModel, FieldModel, MessageModel, TypeModels } from '../definition/model.ts';

/** As other implementations: deeper messages are taken for an attack. */
export const MAX_MESSAGE_DEPTH = 100;

export interface Field extends FieldModel {
  /** The fields of the same `oneof`. */
  readonly siblings: readonly string[];
}

export interface MessageType {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly byName: ReadonlyMap<string, Field>;
  readonly isEntry: boolean;
}

export interface EnumType {
  readonly name: string;
  readonly names: ReadonlyMap<number, string>;
  readonly numbers: ReadonlyMap<string, number>;
  /** What stands for an absent value. */
  readonly first: string | number;
}

export interface TypeTable {
  message(name: string): MessageType | undefined;
  enumType(name: string): EnumType | undefined;
}

const messageType = (name: string, { fields, entry }: MessageModel): MessageType => {
  const full = fields.map(
    (field): Field => ({
      ...field,
      siblings: fields.flatMap((other) =>
        field.oneof !== undefined && other.oneof === field.oneof && other !== field
          ? [other.name]
          : [],
      ),
    }),
  );
  return {
    name,
    fields: full,
    isEntry: entry === true,
    byNumber: new Map(full.map((field) => [field.number, field])),
    byName: new Map(full.map((field) => [field.name, field])),
  };
};

const enumType = (name: string, { values }: EnumModel): EnumType => {
  const names = new Map<number, string>();
  for (const [label, number] of values) if (!names.has(number)) names.set(number, label);
  return { name, names, numbers: new Map(values), first: names.get(0) ?? values[0]?.[0] ?? 0 };
};

/** Makes a table. Types of `google.protobuf` that JSON has a form for are always our own. */
export const createTypeTable = (models: TypeModels): TypeTable => {
  const messages = new Map<string, MessageType | undefined>();
  const enums = new Map<string, EnumType | undefined>();
  const modelOf = <T>(
    name: string,
    wellKnown: Readonly<Record<string, T>>,
    own: typeof wellKnown,
  ) => {
    if (Object.hasOwn(wellKnown, name)) return wellKnown[name];
    return Object.hasOwn(own, name) ? own[name] : undefined;
  };
  return {
    message(name) {
      if (messages.has(name)) return messages.get(name);
      const model = modelOf(name, KNOWN_TYPES.messages, models.messages);
      const type = model && messageType(name, model);
      // Names that are not there come from outside: they are not kept.
      if (type) messages.set(name, type);
      return type;
    },
    enumType(name) {
      if (enums.has(name)) return enums.get(name);
      const model = modelOf(name, KNOWN_TYPES.enums, models.enums);
      const type = model && enumType(name, model);
      if (type) enums.set(name, type);
      return type;
    },
  };
};
