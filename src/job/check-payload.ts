/** Guards what is kept of a job: plain JSON data of bounded size and depth. */
import { ToolFailure } from '../contract/errors.ts';
import { MAX_PAYLOAD_BYTES } from '../contract/queue.ts';
import { issuesText } from '../kit/text/issues-text.ts';

const MAX_DEPTH = 64;
/** A payload of the largest size has no more; one that names the same objects again and again has. */
const MAX_VALUES = MAX_PAYLOAD_BYTES / 2;

/** What is looked at, as its owner knows it. */
export type KeptPart = 'payload' | 'progress' | 'result';

type Path = readonly (string | number)[];

const refuse = (part: KeptPart, path: Path, message: string): never => {
  const issues = [{ path: [...path], message }];
  const what = issuesText(issues);
  throw new ToolFailure('VALIDATION_ERROR', `The ${part} of the job cannot be kept: ${what}`, {
    issues,
    suggestions: [`Give plain JSON data; keep what is large elsewhere and name it in the ${part}.`],
  });
};

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

interface Seen {
  readonly part: KeptPart;
  values: number;
}

const assertPlain = (value: unknown, path: (string | number)[], seen: Seen): void => {
  const { part } = seen;
  seen.values += 1;
  if (seen.values > MAX_VALUES) refuse(part, [], `has more than ${MAX_VALUES} values`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) refuse(part, path, 'has to be a finite number');
      return;
    case 'object':
      break;
    default:
      refuse(part, path, `is of type ${typeof value}, which JSON does not have`);
  }
  if (value === null) return;
  // A cycle ends here, too.
  if (path.length >= MAX_DEPTH) refuse(part, path, `is nested deeper than ${MAX_DEPTH} levels`);
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value as object)) refuse(part, path, 'is an object of a class');
  for (const [key, item] of Object.entries(value as object)) {
    // A field that is `undefined` is absent in JSON; in a list it would become null.
    if (item === undefined && !isList) continue;
    path.push(isList ? Number(key) : key);
    assertPlain(item, path, seen);
    path.pop();
  }
};

/** Refuses what throws when it is looked at, too: a proxy may. */
const assertReadable = (value: unknown, part: KeptPart): void => {
  try {
    assertPlain(value, [], { part, values: 0 });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    refuse(part, [], 'cannot be read');
  }
};

/** Returns a copy as JSON has it. Throws VALIDATION_ERROR that names what cannot be kept. */
export const checkPayload = (payload: unknown, part: KeptPart = 'payload'): unknown => {
  const value = payload ?? null;
  assertReadable(value, part);
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) {
    refuse(part, [], `has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} are kept`);
  }
  return JSON.parse(text);
};
