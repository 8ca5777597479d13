/** Chooses how the body of an operation is sent, among the media types that the document offers. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from '../operations/definition.ts';
import { type Method, type Operation, parametersOf } from '../operations/list-operations.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import { swaggerBody } from '../operations/swagger-two.ts';

export type BodyKind = 'json' | 'form' | 'multipart' | 'binary' | 'text';

export interface WrittenBody {
  readonly contentType: string;
  readonly bytes: string | Uint8Array<ArrayBuffer>;
}

export type BodyWriter = (value: unknown) => WrittenBody;

export interface Body {
  readonly kind: BodyKind;
  readonly contentType: string;
  readonly isRequired: boolean;
  readonly description: unknown;
  readonly schema: Located;
  /** How single fields are written, by their names. */
  readonly encoding: Fields;
}

const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s*;[\x20-\x7e]*)?$/;

const kindOf = (type: string): BodyKind => {
  const plain = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (/^[^/]+\/(?:[^/]+\+)?json$/.test(plain) || plain === '*/*') return 'json';
  if (plain === 'application/x-www-form-urlencoded') return 'form';
  if (plain.startsWith('multipart/')) return 'multipart';
  if (
    plain.startsWith('text/') ||
    /[/+](?:xml|yaml|x-yaml|graphql|ndjson|x-ndjson|jsonl|csv)$/.test(plain)
  )
    return 'text';
  return 'binary';
};

/** What is sent where the document leaves the media type open with a star. */
const CONCRETE: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

/** The better one first. */
const ORDER: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary'];

const isBinary = (schema: unknown): boolean =>
  isRecord(schema) &&
  (schema.format === 'binary' ||
    schema.format === 'byte-stream' ||
    typeof schema.contentMediaType === 'string') &&
  schema.contentEncoding === undefined;

/** A field of a multipart body that is a file, or several under one name. */
export interface FileField {
  readonly isList: boolean;
  /** As the schema names it. */
  readonly mediaType: unknown;
}

/** The files of a body by the names of their fields. */
export type Files = ReadonlyMap<string, FileField>;

/** Reads a field of a multipart body; `undefined` where it is no file. */
export const fileField = (schema: Located, resolver: Resolver): FileField | undefined => {
  const resolved = resolver.fields(schema);
  if (!resolved) return undefined;
  const { value, address } = resolved;
  const isList = value.type === 'array';
  const items = { value: value.items, address, pointer: '' };
  const file = isList ? resolver.fields(items)?.value : value;
  return isBinary(file) ? { isList, mediaType: file?.contentMediaType } : undefined;
};

const rankOf = (type: string): number => {
  const kind = kindOf(type);
  const isPlainJson = type.toLowerCase().startsWith('application/json');
  return ORDER.indexOf(kind) * 2 + (kind === 'json' && !isPlainJson ? 1 : 0);
};

const bodyFields = (operation: Operation, resolver: Resolver) => {
  const { fields, address } = operation;
  if (resolver.root.swagger === undefined) {
    return resolver.fields({ value: fields.requestBody, address, pointer: '' });
  }
  return swaggerBody(parametersOf(operation, resolver), { operation: fields, root: resolver.root });
};

/** Methods whose bodies have no meaning (RFC 9110): what a document says of one is ignored. */
const BODILESS: ReadonlySet<Method> = new Set(['get', 'head']);

/** Reads the body of an operation; `undefined` when it has none. */
export const bodyOf = (operation: Operation, resolver: Resolver): Body | undefined => {
  if (BODILESS.has(operation.method)) return undefined;
  const body = bodyFields(operation, resolver);
  if (!body || !isRecord(body.value.content)) return undefined;
  const listed = Object.keys(body.value.content);
  const types = listed
    .filter((type) => MEDIA_TYPE.test(type))
    .sort((a, b) => rankOf(a) - rankOf(b));
  // A body under an invalid media type is sent as JSON.
  const type = types[0] ?? listed[0];
  if (type === undefined) return undefined;
  const kind = types.length === 0 ? 'json' : kindOf(type);
  const isOpen = types.length === 0 || type.includes('*');
  const media = body.value.content[type];
  const { schema = {}, encoding } = isRecord(media) ? media : {};
  const { required, description } = body.value;
  return {
    kind,
    contentType: isOpen ? CONCRETE[kind] : type,
    isRequired: required === true,
    description,
    schema: { value: schema, address: body.address, pointer: '' },
    encoding: isRecord(encoding) ? encoding : {},
  };
};
