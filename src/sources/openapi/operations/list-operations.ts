/** Lists the operations of a document, with the parameters of each, its references followed. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from './definition.ts';
import type { Located, Resolver } from './resolver.ts';

export const METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly fields: Fields;
  /** The fields of its path, with servers and parameters of all its operations. */
  readonly pathFields: Fields;
  /** The document that it is written in: references are relative to it. */
  readonly address: string;
}

/** A document with more operations is a mistake or an attack. */
const MAX_OPERATIONS = 30_000;
const MAX_TAGS = 20;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string').slice(0, MAX_TAGS)
    : [];

const operationOf = (
  method: Method,
  path: string,
  item: Located & { readonly value: Fields },
): Operation | undefined => {
  const fields: unknown = Object.hasOwn(item.value, method) ? item.value[method] : undefined;
  if (!isRecord(fields)) return undefined;
  const { operationId } = fields;
  return {
    method,
    path,
    fields,
    pathFields: item.value,
    address: item.address,
    operationId: typeof operationId === 'string' && operationId !== '' ? operationId : undefined,
    tags: textsOf(fields.tags),
  };
};

export const listOperations = (resolver: Resolver): readonly Operation[] => {
  const { paths } = resolver.root;
  const operations: Operation[] = [];
  if (!isRecord(paths)) return operations;
  for (const [key, value] of Object.entries(paths)) {
    if (key.startsWith('x-')) continue;
    const path = key.startsWith('/') ? key : `/${key}`;
    const item = resolver.fields({ value, address: resolver.rootAddress, pointer: '' });
    if (!item) continue;
    for (const method of METHODS) {
      const operation = operationOf(method, path, item);
      if (operation) operations.push(operation);
      if (operations.length >= MAX_OPERATIONS) return operations;
    }
  }
  return operations;
};

/** Lists the parameters of an operation: its own, and those of its path that it does not replace. */
export const parametersOf = (
  { fields, pathFields, address }: Operation,
  resolver: Resolver,
): readonly (Located & { readonly value: Fields })[] => {
  const parameters = new Map<string, Located & { readonly value: Fields }>();
  for (const list of [pathFields.parameters, fields.parameters]) {
    if (!Array.isArray(list)) continue;
    for (const value of list as readonly unknown[]) {
      const parameter = resolver.fields({ value, address, pointer: '' });
      if (!parameter) continue;
      const { in: place, name } = parameter.value;
      parameters.set(`${String(place)} ${String(name)}`, parameter);
    }
  }
  return [...parameters.values()];
};
