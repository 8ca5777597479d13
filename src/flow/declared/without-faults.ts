/** Leaves out the fields of a flow that its schema refuses, so that the rest can be checked as well. */
import { isRecord } from '../../kit/data/is-record.ts';
import type { SchemaIssue } from './explain-issue.ts';

/** Fields without which a flow is still the same graph: no fault of another field follows from their absence. */
const SEPARATE: ReadonlySet<PropertyKey> = new Set([
  ...['title', 'timeoutMs', 'retry', 'onError', 'else', 'when', 'limits', 'description'],
]);

/** Deletes one field of data; false where there is none of that path. */
const removeAt = (data: unknown, path: readonly PropertyKey[]): boolean => {
  const name = path.at(-1);
  let owner = data;
  for (const part of path.slice(0, -1)) owner = Reflect.get(Object(owner) as object, part);
  return isRecord(owner) && name !== undefined && Reflect.deleteProperty(owner, name);
};

const isUnknownField = ({ code }: SchemaIssue): boolean => code === 'unrecognized_keys';

/** Returns a copy without the fields that issues are about; nothing where one of them is needed. */
export const withoutFaults = (data: unknown, issues: readonly SchemaIssue[]): unknown => {
  const copy: unknown = structuredClone(data);
  for (const issue of issues) {
    const { path, keys = [] } = issue;
    if (isUnknownField(issue)) {
      for (const key of keys) removeAt(copy, [...path, key]);
      continue;
    }
    const end = path.findIndex((part) => SEPARATE.has(part));
    if (end === -1) return undefined;
    removeAt(copy, path.slice(0, end + 1));
  }
  return copy;
};
