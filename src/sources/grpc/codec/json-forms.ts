/** The forms of well-known types in JSON: a timestamp is a text, a struct an object. */
import { isRecord } from '../../../kit/data/is-record.ts';
import { Unfit } from './scalars.ts';
import { durationFields, durationText, timestampFields, timestampText } from './time-forms.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the message inside of an `Any`. */
export type ReadPacked = (typeName: string, bytes: Buffer) => unknown;
/** Writes one; `undefined` where the type is not known. */
export type WritePacked = (typeName: string, value: unknown) => Buffer | undefined;

export interface JsonForm {
  /** Converts fields to JSON. `read` gives `undefined` for an unknown type. */
  fromFields(fields: Fields, read: ReadPacked): unknown;
  /** Throws `Unfit`. */
  toFields(value: unknown, write: WritePacked): Fields;
}

const WRAPPERS = [
  'Double',
  'Float',
  'Int64',
  'UInt64',
  'Int32',
  'UInt32',
  'Bool',
  'String',
  'Bytes',
];

const WRAPPER: JsonForm = {
  fromFields: ({ value }) => value,
  toFields: (value) => ({ value }),
};

const snakeOf = (path: string): string =>
  path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelOf = (path: string): string =>
  path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A path that cannot be turned back stays as it is. */
const FIELD_MASK: JsonForm = {
  fromFields: ({ paths }) =>
    (paths as string[])
      .map((path) => (snakeOf(camelOf(path)) === path ? camelOf(path) : path))
      .join(','),
  toFields(value) {
    if (typeof value !== 'string') throw new Unfit('expected paths with commas between them');
    const paths = value === '' ? [] : value.split(',');
    return { paths: paths.map((path) => (path.includes('_') ? path : snakeOf(path.trim()))) };
  },
};

const STRUCT: JsonForm = {
  fromFields: ({ fields }) => fields,
  toFields(value) {
    if (!isRecord(value)) throw new Unfit('expected an object');
    return { fields: value };
  },
};

const LIST: JsonForm = {
  fromFields: ({ values }) => values,
  toFields(value) {
    if (!Array.isArray(value)) throw new Unfit('expected a list');
    return { values: value };
  },
};

const VALUE: JsonForm = {
  fromFields(fields) {
    const [kind] = Object.keys(fields);
    return kind === undefined ? null : fields[kind];
  },
  toFields(value) {
    if (value === null) return { nullValue: null };
    if (Array.isArray(value)) return { listValue: value };
    if (typeof value === 'object') return { structValue: value };
    if (typeof value === 'string') return { stringValue: value };
    return typeof value === 'boolean' ? { boolValue: value } : { numberValue: value };
  },
};

const typeOfUrl = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** A message of a type that is not known is shown as its bytes. */
const ANY: JsonForm = {
  fromFields({ typeUrl, value }, read) {
    const url = String(typeUrl);
    if (url === '' && value === '') return {};
    const message = read(typeOfUrl(url), Buffer.from(String(value), 'base64'));
    if (message === undefined) return { '@type': url, '@bytes': value };
    return JSON_FORMS.has(typeOfUrl(url))
      ? { '@type': url, value: message }
      : { ...(message as object), '@type': url };
  },
  toFields(value, write) {
    if (!isRecord(value)) throw new Unfit('expected an object with "@type"');
    const { '@type': url, '@bytes': bytes, ...fields } = value;
    if (url === undefined && Object.keys(value).length === 0) return {};
    if (typeof url !== 'string' || url === '') throw new Unfit('expected "@type", a type URL');
    if (bytes !== undefined) return { typeUrl: url, value: bytes };
    const type = typeOfUrl(url);
    const packed = write(type, JSON_FORMS.has(type) ? fields.value : fields);
    if (!packed) throw new Unfit('the type in "@type" is not known; give its bytes as "@bytes"');
    return { typeUrl: url, value: packed.toString('base64') };
  },
};

const PREFIX = 'google.protobuf.';

export const JSON_FORMS: ReadonlyMap<string, JsonForm> = new Map<string, JsonForm>([
  ...WRAPPERS.map((name): [string, JsonForm] => [`${PREFIX}${name}Value`, WRAPPER]),
  [
    `${PREFIX}Timestamp`,
    {
      fromFields: ({ seconds, nanos }) => timestampText(String(seconds), Number(nanos)),
      toFields: timestampFields,
    },
  ],
  [
    `${PREFIX}Duration`,
    {
      fromFields: ({ seconds, nanos }) => durationText(String(seconds), Number(nanos)),
      toFields: durationFields,
    },
  ],
  [`${PREFIX}FieldMask`, FIELD_MASK],
  [`${PREFIX}Struct`, STRUCT],
  [`${PREFIX}ListValue`, LIST],
  [`${PREFIX}Value`, VALUE],
  [`${PREFIX}Any`, ANY],
]);
