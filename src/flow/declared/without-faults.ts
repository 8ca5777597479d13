/** Takes out the fields of a flow that its schema refuses, so that the rest can be checked as well. */
import { ownValue } from '../../kit/data/own-value.ts';
import type { SchemaIssue } from './explain-issue.ts';

/** Fields without which a flow is still the same graph: no fault of another field follows from their absence. */
const SEPARATE: ReadonlySet<PropertyKey> = new Set([
  ...['title', 'timeoutMs', 'retry', 'onError', 'else', 'when', 'limits', 'description', 'input'],
  ...['join', 'onFailure', 'undoOnFailure', 'maxConcurrency', 'maxItems', 'collect', '$schema'],
]);

/** What stands for a field that a flow or a step needs: no fault follows from it. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  name: 'flow',
  version: '0.0.0',
  sleepMs: 0,
  waitFor: 'event',
  approve: 'Go on?',
};

/** A step may leave its version out; a flow may not. */
const needsStandIn = (path: readonly PropertyKey[]): boolean => {
  const name = path.at(-1);
  if (typeof name !== 'string' || !Object.hasOwn(STAND_INS, name)) return false;
  return path.length === 1 || !['name', 'version'].includes(name);
};

const ownerOf = (data: unknown, path: readonly PropertyKey[]): object => {
  let owner = data;
  for (const part of path.slice(0, -1)) owner = Reflect.get(Object(owner) as object, part);
  return Object(owner) as object;
};

const removeAt = (data: unknown, path: readonly PropertyKey[]): void => {
  const name = path.at(-1);
  if (name !== undefined) Reflect.deleteProperty(ownerOf(data, path), name);
};

/** Takes one faulty field out; false where the rest cannot be understood without it. */
const takeOut = (data: unknown, path: readonly PropertyKey[]): boolean => {
  const name = path.at(-1);
  if (name !== undefined && needsStandIn(path)) {
    Reflect.set(ownerOf(data, path), name, ownValue(STAND_INS, String(name)));
    return true;
  }
  const isStepVersion = name === 'version' && path.length > 1;
  const end = isStepVersion ? path.length - 1 : path.findIndex((part) => SEPARATE.has(part));
  if (end === -1) return false;
  removeAt(data, path.slice(0, end + 1));
  return true;
};

const isUnknownField = ({ code }: SchemaIssue): boolean => code === 'unrecognized_keys';

/** Returns a copy without the fields that issues are about; nothing where one of them is needed. */
export const withoutFaults = (data: unknown, issues: readonly SchemaIssue[]): unknown => {
  const copy: unknown = structuredClone(data);
  for (const issue of issues) {
    const { path, keys = [] } = issue;
    if (isUnknownField(issue)) for (const key of keys) removeAt(copy, [...path, key]);
    else if (!takeOut(copy, path)) return undefined;
  }
  return copy;
};
