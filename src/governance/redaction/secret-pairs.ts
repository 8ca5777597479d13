/**
 * Finds the name of a value that does not stand under it: the header before it in a list, the flag
 * before it in an argument vector, the `name` beside it in an object.
 */
import { isJwk, JWK_PRIVATE_MEMBERS } from './keys/jwk-members.ts';
import type { FieldName, NameKind } from './secret-names.ts';

export const MAX_ITEM_NAME = 66;

const FLAG = /^--?([A-Za-z_\u00c0-\uffff][\w.\u00ad\u00c0-\uffff-]{1,63})$/;
const HEADER = /^[A-Za-z_\u00c0-\uffff][\w.\u00c0-\uffff-]{1,63}$/;

/**
 * Reads what the item before says of an item. A word says less than a flag: lists of words are
 * common.
 */
export const itemName = (
  before: string,
  kindOf: (name: string) => NameKind,
): FieldName | undefined => {
  const flag = FLAG.exec(before)?.[1];
  if (flag !== undefined) {
    const kind = kindOf(flag);
    return kind === 'plain' ? undefined : { name: flag, kind };
  }
  if (!HEADER.test(before)) return undefined;
  const kind = kindOf(before);
  if (kind === 'plain') return undefined;
  return { name: before, kind: /[-_A-Z]|^(?:authorization|cookie)$/.test(before) ? kind : 'maybe' };
};

const NAME_FIELDS = ['name', 'key', 'header', 'variable', 'Name', 'Key'] as const;
const VALUE_FIELDS: ReadonlySet<string> = new Set(['value', 'Value', 'val', 'values', 'content']);

/** What an object says of some of its own fields. */
export interface NamedFields {
  readonly fields: ReadonlySet<string>;
  readonly name: FieldName;
}

const JWK_FIELDS: NamedFields = {
  fields: JWK_PRIVATE_MEMBERS,
  name: { name: 'private key', kind: 'password' },
};

const hasValue = (source: object): boolean =>
  'value' in source ||
  'Value' in source ||
  'val' in source ||
  'values' in source ||
  'content' in source;

/**
 * Reads what an object of a name and a value says of the value, and a JSON Web Key of its private
 * members.
 */
export const namedFields = (
  source: object,
  kindOf: (name: string) => NameKind,
): NamedFields | undefined => {
  if (isJwk(source)) return JWK_FIELDS;
  if (!hasValue(source)) return undefined;
  for (const field of NAME_FIELDS) {
    const name: unknown = (source as Record<string, unknown>)[field];
    if (typeof name !== 'string' || name.length > MAX_ITEM_NAME) continue;
    const kind = kindOf(name);
    if (kind !== 'plain') return { fields: VALUE_FIELDS, name: { name, kind } };
  }
  return undefined;
};
