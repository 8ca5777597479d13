/** Converts a message from the wire to JSON, as the JSON mapping of proto3 says, within limits. */
import { ToolFailure } from '../../../contract/errors.ts';
import { ownValue } from '../../../kit/data/own-value.ts';
import type { ScalarType } from '../definition/model.ts';
import { JSON_FORMS } from './json-forms.ts';
import { readScalar, WIRE_OF, zeroOf } from './scalars.ts';
import { type Field, MAX_MESSAGE_DEPTH, type MessageType, type TypeTable } from './type-table.ts';
import { MalformedMessage, WIRE, WireReader } from './wire-reader.ts';

type Fields = Record<string, unknown>;

/** What a conversion may use, and what it noticed. */
export interface Decoding {
  readonly types: TypeTable;
  /** How much JSON may still be made, roughly in bytes: small messages can stand for much JSON. */
  budget: number;
  /** Fields of the message that the definition does not know. */
  unknownFields: number;
  /** Texts that were not UTF-8. */
  faultyTexts: number;
  /** Members that no object may have, such as `__proto__`. */
  leftOut: number;
}

export const newDecoding = (types: TypeTable, budget: number): Decoding => ({
  types,
  budget,
  unknownFields: 0,
  faultyTexts: 0,
  leftOut: 0,
});

/** Takes from the budget. Fails with OUTPUT_TOO_LARGE where there is none left. */
const spend = (decoding: Decoding, bytes: number): void => {
  decoding.budget -= bytes;
  if (decoding.budget >= 0) return;
  throw new ToolFailure('OUTPUT_TOO_LARGE', 'The answer is larger than allowed.', {
    suggestions: ['Ask for less, or raise maxOutputBytes of the source.'],
  });
};

/** Converts one message. Throws `MalformedMessage`, or OUTPUT_TOO_LARGE. */
export const decodeMessage = (typeName: string, bytes: Uint8Array, decoding: Decoding): unknown =>
  readMessage(typeOf(typeName, decoding), new WireReader(bytes), { decoding, depth: 0 });

interface Position {
  readonly decoding: Decoding;
  readonly depth: number;
  /** The number of the group that the message is; it ends with the tag of that number. */
  readonly group?: number;
}

const typeOf = (name: string, { types }: Decoding): MessageType => {
  const type = types.message(name);
  if (type) return type;
  throw new MalformedMessage(`the type ${name} is not known`);
};

/** Reads to the end of the reader, and gives the JSON form. */
const readMessage = (type: MessageType, reader: WireReader, at: Position): unknown => {
  const form = JSON_FORMS.get(type.name);
  const fields = readFields(type, reader, { at, into: {} });
  if (!form) return fields;
  return form.fromFields(fields, (name, bytes) => {
    const packed = at.decoding.types.message(name);
    return packed && readMessage(packed, new WireReader(bytes), below(at));
  });
};

const MARKS = 4;

const readFields = (
  type: MessageType,
  reader: WireReader,
  { at, into }: { readonly at: Position; readonly into: Fields },
): Fields => {
  if (at.depth > MAX_MESSAGE_DEPTH) throw new MalformedMessage('messages are nested too deep');
  const { decoding } = at;
  spend(decoding, 2);
  addDefaults(type, into, decoding);
  while (!reader.isDone) {
    const tag = reader.uint32();
    const wire = tag & 7;
    const number = tag >>> 3;
    if (number === 0) throw new MalformedMessage('a field has the number 0');
    if (wire === WIRE.endGroup && number === at.group) return into;
    const field = type.byNumber.get(number);
    if (field && fits(field, wire)) readField(field, reader, { at, into, wire });
    else {
      decoding.unknownFields += 1;
      reader.skip(wire, number);
    }
  }
  if (at.group !== undefined) throw new MalformedMessage('a group has no end');
  return into;
};

/** Adds what absent fields without presence stand for: a model must not guess it. */
const addDefaults = ({ fields }: MessageType, into: Fields, decoding: Decoding): void => {
  for (const field of fields) {
    const { name, type, many, presence } = field;
    if (presence || Object.hasOwn(into, name)) continue;
    spend(decoding, name.length + MARKS + 2);
    if (many) into[name] = isMap(field, decoding) ? {} : [];
    else if (type === 'enum') into[name] = enumName(field, 0, decoding);
    else if (type !== 'message' && type !== 'group') into[name] = zeroOf(type);
  }
};

const isMap = ({ type, ref }: Field, { types }: Decoding): boolean =>
  type === 'message' && ref !== undefined && types.message(ref)?.isEntry === true;

const wireOf = ({ type }: Field): number => {
  if (type === 'message') return WIRE.bytes;
  return type === 'group' ? WIRE.startGroup : WIRE_OF[type];
};

/**
 * Tells whether a wire type fits a field. A list of numbers may come packed or not, whatever its definition
 * says.
 */
const fits = (field: Field, wire: number): boolean =>
  wire === wireOf(field) || (field.many === true && wire === WIRE.bytes && field.type !== 'group');

interface FieldPosition {
  readonly at: Position;
  readonly into: Fields;
  readonly wire: number;
}

const readField = (field: Field, reader: WireReader, place: FieldPosition): void => {
  const { at, into } = place;
  const { name, many } = field;
  spend(at.decoding, MARKS);
  if (many && isMap(field, at.decoding)) readEntry(field, reader, place);
  else if (many) readItems(field, reader, place);
  else {
    spend(at.decoding, name.length);
    for (const sibling of field.siblings) delete into[sibling];
    into[name] = readValue(field, reader, { at, earlier: ownValue(into, name) });
  }
};

/** Reads one item, or all that are packed together. */
const readItems = (field: Field, reader: WireReader, { at, into, wire }: FieldPosition): void => {
  const list = into[field.name] as unknown[];
  if (wire === wireOf(field)) {
    list.push(readValue(field, reader, { at }));
    return;
  }
  const end = reader.enter();
  while (!reader.isDone) {
    spend(at.decoding, 2);
    list.push(readValue(field, reader, { at }));
  }
  reader.leave(end);
};

const readEntry = (field: Field, reader: WireReader, { at, into }: FieldPosition): void => {
  const { decoding } = at;
  const type = typeOf(field.ref ?? '', decoding);
  const end = reader.enter();
  const entry = readFields(type, reader, { at: below(at), into: {} });
  reader.leave(end);
  const key = String(entry.key ?? '');
  if (key === '__proto__') decoding.leftOut += 1;
  else (into[field.name] as Fields)[key] = entryValue(type, entry, at);
};

/** Returns the value of a map entry; an empty message when it has none. */
const entryValue = (type: MessageType, entry: Fields, at: Position): unknown => {
  const value = type.byNumber.get(2);
  if (value === undefined || Object.hasOwn(entry, 'value')) return entry.value;
  const empty = typeOf(value.ref ?? '', at.decoding);
  return readMessage(empty, new WireReader(new Uint8Array()), below(at));
};

const below = ({ decoding, depth }: Position): Position => ({ decoding, depth: depth + 1 });

const readValue = (
  field: Field,
  reader: WireReader,
  { at, earlier }: { readonly at: Position; readonly earlier?: unknown },
): unknown => {
  const { decoding } = at;
  if (field.type === 'message') return readNested(field, reader, { at, earlier });
  if (field.type === 'group') {
    const type = typeOf(field.ref ?? '', decoding);
    return readFields(type, reader, { at: { ...below(at), group: field.number }, into: {} });
  }
  if (field.type === 'enum') return enumName(field, reader.int32(), decoding);
  const value = readScalar(reader, field.type as ScalarType, () => {
    decoding.faultyTexts += 1;
  });
  if (typeof value === 'string') spend(decoding, value.length);
  return value;
};

/** Reads a nested message, and merges it into its earlier part when it comes in two. */
const readNested = (
  { ref = '' }: Field,
  reader: WireReader,
  { at, earlier }: { readonly at: Position; readonly earlier?: unknown },
): unknown => {
  const type = typeOf(ref, at.decoding);
  const end = reader.enter();
  const isPart = earlier !== undefined && !JSON_FORMS.has(ref);
  const value = isPart
    ? readFields(type, reader, { at: below(at), into: earlier as Fields })
    : readMessage(type, reader, below(at));
  reader.leave(end);
  return value;
};

/** Gives the name of a value; the number itself where it has none. */
const enumName = ({ ref = '' }: Field, number: number, { types }: Decoding): unknown => {
  if (ref === 'google.protobuf.NullValue') return null;
  return types.enumType(ref)?.names.get(number) ?? number;
};
