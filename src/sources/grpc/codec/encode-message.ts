/** Converts JSON to a message on the wire, as the JSON mapping of proto3 says. */
import { type Issue, ToolFailure } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { ownValue } from '../../../kit/data/own-value.ts';
import type { ScalarType } from '../definition/model.ts';
import { JSON_FORMS, type WritePacked } from './json-forms.ts';
import { isZero, Unfit, WIRE_OF, writeScalar } from './scalars.ts';
import { type Field, MAX_MESSAGE_DEPTH, type MessageType, type TypeTable } from './type-table.ts';
import { WIRE } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Writing {
  readonly types: TypeTable;
  readonly depth: number;
}

/** Says what keeps a value from being a message of this type; `undefined` when nothing does. */
export const messageIssue = (
  typeName: string,
  value: unknown,
  types: TypeTable,
): Issue | undefined => {
  try {
    writeMessage(typeOf(typeName, types), value, { types, depth: 0 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { path: error.path, message: error.message };
  }
};

/** Fails with VALIDATION_ERROR for a value that is no message of this type. */
export const encodeMessage = (typeName: string, value: unknown, types: TypeTable): Buffer => {
  try {
    return writeMessage(typeOf(typeName, types), value, { types, depth: 0 });
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const issue = { path: error.path, message: error.message };
    throw new ToolFailure('VALIDATION_ERROR', undefined, { issues: [issue] });
  }
};

const typeOf = (name: string, types: TypeTable): MessageType => {
  const type = types.message(name);
  if (type) return type;
  throw new Unfit(`the type ${name} is not known`);
};

/** Throws `Unfit`, with the path of the value. */
const writeMessage = (type: MessageType, value: unknown, writing: Writing): Buffer => {
  if (writing.depth > MAX_MESSAGE_DEPTH) throw new Unfit('is nested too deep');
  const form = JSON_FORMS.get(type.name);
  const fields = form ? form.toFields(value, writePacked(writing)) : value;
  if (!isRecord(fields)) throw new Unfit('expected an object');
  const writer = new WireWriter();
  // The path of a value inside a form does not contain the names of the form's own fields.
  writeFields(type, fields, { writer, writing, isForm: form !== undefined });
  return writer.finish();
};

const writePacked =
  (writing: Writing): WritePacked =>
  (name, value) => {
    const type = writing.types.message(name);
    return type && writeMessage(type, value, deeper(writing));
  };

interface FieldWriting {
  readonly writer: WireWriter;
  readonly writing: Writing;
  readonly isForm: boolean;
}

const within = <T>(key: string | number | undefined, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unfit && key !== undefined) error.path.unshift(key);
    throw error;
  }
};

const writeFields = (type: MessageType, fields: Fields, place: FieldWriting): void => {
  for (const name of Object.keys(fields)) {
    const field = type.byName.get(name);
    within(place.isForm ? undefined : name, () => {
      if (!field) throw new Unfit('is no field of the message');
      writeField(field, fields, place);
    });
  }
  const missing = type.fields.find(
    ({ required, name }) => required === true && !isGiven(fields, name),
  );
  if (missing) throw new Unfit(`expected the field ${missing.name}, which is required`);
};

const isGiven = (fields: Fields, name: string): boolean =>
  (ownValue(fields, name) ?? undefined) !== undefined;

const isNull = ({ ref }: Field): boolean =>
  ref === 'google.protobuf.NullValue' || ref === 'google.protobuf.Value';

const writeField = (field: Field, fields: Fields, place: FieldWriting): void => {
  const value = fields[field.name];
  // null stands for an absent field, but where it is a value itself.
  if (value === undefined || (value === null && (field.many || !isNull(field)))) return;
  const other = field.siblings.find((name) => isGiven(fields, name));
  if (other !== undefined) throw new Unfit(`cannot be given together with ${other}`);
  if (!field.many) {
    if (!field.presence && isDefault(field, value, place)) return;
    writeTagged(field, value, place);
  } else if (isMapField(field, place)) writeMap(field, value, place);
  else writeList(field, value, place);
};

/** Tells whether a value is the default, which is not sent where it cannot be told from an absent field. */
const isDefault = (field: Field, value: unknown, { writing }: FieldWriting): boolean => {
  const { type, ref = '' } = field;
  if (type === 'message' || type === 'group') return false;
  if (type === 'enum') return enumNumber(ref, value, writing.types) === 0;
  if (!isZero(type, value)) return false;
  // A zero of the wrong type is a fault as well.
  writeScalar(new WireWriter(), type, value);
  return true;
};

const isMapField = ({ type, ref = '' }: Field, { writing }: FieldWriting): boolean =>
  type === 'message' && writing.types.message(ref)?.isEntry === true;

const writeList = (field: Field, value: unknown, place: FieldWriting): void => {
  if (!Array.isArray(value)) throw new Unfit('expected a list');
  if (value.length === 0) return;
  if (!field.packed) {
    for (const [at, item] of value.entries()) {
      within(at, () => writeTagged(field, item, place));
    }
    return;
  }
  const packed = new WireWriter();
  for (const [at, item] of value.entries()) {
    within(at, () => writeValue(field, item, { ...place, writer: packed }));
  }
  place.writer.tag(field.number, WIRE.bytes);
  place.writer.bytes(packed.finish());
};

const KEY_FAULT = 'is no key of this map';

const keyOf = (type: string, key: string): unknown => {
  if (type === 'string' || type.endsWith('64')) return key;
  if (type === 'bool') {
    if (key === 'true' || key === 'false') return key === 'true';
    throw new Unfit(KEY_FAULT);
  }
  if (!/^-?\d{1,10}$/.test(key)) throw new Unfit(KEY_FAULT);
  return Number(key);
};

const writeMap = (field: Field, value: unknown, place: FieldWriting): void => {
  if (!isRecord(value)) throw new Unfit('expected an object');
  const entry = typeOf(field.ref ?? '', place.writing.types);
  const [keyField, valueField] = [entry.byNumber.get(1), entry.byNumber.get(2)];
  if (!keyField || !valueField) throw new Unfit('is no map');
  for (const [key, item] of Object.entries(value)) {
    within(key, () => {
      const writer = new WireWriter();
      const inner = { writer, writing: deeper(place.writing), isForm: false };
      writeTagged(keyField, keyOf(keyField.type, key), inner);
      writeTagged(valueField, item, inner);
      place.writer.tag(field.number, WIRE.bytes);
      place.writer.bytes(writer.finish());
    });
  }
};

const deeper = ({ types, depth }: Writing): Writing => ({ types, depth: depth + 1 });

const writeTagged = (field: Field, value: unknown, place: FieldWriting): void => {
  const { type, number } = field;
  if (value === null && !isNull(field)) throw new Unfit('expected a value, not null');
  if (type === 'group') {
    place.writer.tag(number, WIRE.startGroup);
    place.writer.raw(nested(field, value, place));
    place.writer.tag(number, WIRE.endGroup);
    return;
  }
  place.writer.tag(number, type === 'message' ? WIRE.bytes : WIRE_OF[type]);
  writeValue(field, value, place);
};

const nested = ({ ref = '' }: Field, value: unknown, { writing }: FieldWriting): Buffer =>
  writeMessage(typeOf(ref, writing.types), value, deeper(writing));

const writeValue = (field: Field, value: unknown, place: FieldWriting): void => {
  const { type, ref = '' } = field;
  if (type === 'message') place.writer.bytes(nested(field, value, place));
  else if (type === 'enum') place.writer.int32(enumNumber(ref, value, place.writing.types));
  else writeScalar(place.writer, type as ScalarType, value);
};

const MAX_ENUM = 2_147_483_647;

const enumNumber = (ref: string, value: unknown, types: TypeTable): number => {
  if (ref === 'google.protobuf.NullValue' && value === null) return 0;
  const number = typeof value === 'string' ? types.enumType(ref)?.numbers.get(value) : value;
  const isNumber = typeof number === 'number' && Number.isInteger(number);
  if (isNumber && Math.abs(number) <= MAX_ENUM) return number;
  throw new Unfit('expected one of the names of the enum');
};
