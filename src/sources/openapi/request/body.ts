/** Chooses how the body of an operation is sent, among the media types that the document offers. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from '../operations/definition.ts';
import { type Operation, parametersOf } from '../operations/list-operations.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import { swaggerBody } from '../operations/swagger-two.ts';

export type BodyKind = 'json' | 'form' | 'multipart' | 'binary' | 'text';

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

/** The better one first. */
const ORDER: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary'];

const isBinary = (schema: unknown): boolean =>
  isRecord(schema) &&
  (schema.format === 'binary' ||
    schema.format === 'byte-stream' ||
    typeof schema.contentMediaType === 'string') &&
  schema.contentEncoding === undefined;

/** Says whether a field of a multipart body is a file. */
export const isFile = (schema: Located, resolver: Resolver): boolean => {
  const resolved = resolver.fields(schema);
  if (!resolved) return false;
  const { value, address } = resolved;
  if (isBinary(value)) return true;
  // Several files under one name.
  if (value.type !== 'array') return false;
  const items = resolver.fields({ value: value.items, address, pointer: '' });
  return items !== undefined && isBinary(items.value);
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

/** Reads the body of an operation; `undefined` when it has none. */
export const bodyOf = (operation: Operation, resolver: Resolver): Body | undefined => {
  if (operation.method === 'trace') return undefined;
  const body = bodyFields(operation, resolver);
  if (!body || !isRecord(body.value.content)) return undefined;
  const listed = Object.keys(body.value.content);
  const types = listed
    .filter((type) => MEDIA_TYPE.test(type))
    .sort((a, b) => rankOf(a) - rankOf(b));
  // A body under an invalid media type is sent as JSON.
  const type = types[0] ?? listed[0];
  if (type === undefined) return undefined;
  const isJson = types.length === 0 || type === '*/*';
  const media = body.value.content[type];
  const { schema = {}, encoding } = isRecord(media) ? media : {};
  const { required, description } = body.value;
  return {
    kind: isJson ? 'json' : kindOf(type),
    contentType: isJson ? 'application/json' : type,
    isRequired: required === true,
    ...{ description, schema: { value: schema, address: body.address, pointer: '' } },
    encoding: isRecord(encoding) ? encoding : {},
  };
};
