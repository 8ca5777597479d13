/**
 * Paths into the scope: `input.url`, `steps.search.data.items[0].url`, `steps.a.data["odd key"]`. Only
 * own fields of objects and elements of lists are found; a path that leads nowhere is an error.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { SCOPE_NAMES, type ScopeName, stepFieldFault, type ValueScope } from './scope.ts';

const MAX_PATH_LENGTH = 1000;
const MAX_SEGMENTS = 40;
const SEGMENT = /\.([A-Za-z_][A-Za-z0-9_-]*)|\[(\d{1,9})\]|\["([^"\\]*)"\]/y;
const ROOT = /^[A-Za-z_]+/;

export type Segment = string | number;

/** One use of a name of the scope, for whoever checks that what it names is there. */
export interface Reference {
  readonly root: ScopeName;
  /** The step that is named, where the root is `steps`. */
  readonly step?: string;
  /** As it is written. */
  readonly text: string;
}

export interface ParsedReference extends Reference {
  readonly segments: readonly Segment[];
}

const isScopeName = (name: string): name is ScopeName => SCOPE_NAMES.includes(name as ScopeName);

const segmentsOf = (text: string, from: number): readonly Segment[] | string => {
  const segments: Segment[] = [];
  let at = from;
  while (at < text.length) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(text);
    if (match === null) return `cannot be read from character ${at + 1} on`;
    const [whole, name, index, quoted] = match;
    const segment = index === undefined ? (name ?? quoted ?? '') : Number(index);
    if (isPrototypeKey(segment)) return `must not name ${segment}`;
    segments.push(segment);
    if (segments.length > MAX_SEGMENTS) return `has more than ${MAX_SEGMENTS} parts`;
    at += whole.length;
  }
  return segments;
};

const OWN_FIELD = /^[A-Za-z][A-Za-z0-9_]*\.(?:data|error|status|success)\b/;

/** Guesses the path that was probably meant: `inputs.url`, or `search.data` without `steps`. */
const meantPath = (text: string, root: string): string =>
  OWN_FIELD.test(text) ? `; did you mean steps.${text}?` : didYouMean(root, SCOPE_NAMES);

/** Reads a path. Returns what is wrong with it as a text. */
export const parseReference = (text: string): ParsedReference | string => {
  if (text.length > MAX_PATH_LENGTH) return `is longer than ${MAX_PATH_LENGTH} characters`;
  const [root = ''] = ROOT.exec(text) ?? [];
  if (!isScopeName(root))
    return `has to begin with ${SCOPE_NAMES.join(', ')}${meantPath(text, root)}`;
  const segments = segmentsOf(text, root.length);
  if (typeof segments === 'string') return segments;
  if (root !== 'steps') return { root, text, segments };
  const [step, field = 'data'] = segments;
  if (typeof step !== 'string') return 'has to name a step, e.g. steps.search.data';
  const fault = stepFieldFault(step, field);
  if (fault !== undefined) return `names ${field}: ${fault}`;
  return { root, step, text, segments };
};

/** Finds one own field or element; `undefined` where there is none. */
const childOf = (value: unknown, segment: Segment): { readonly value: unknown } | undefined => {
  if (Array.isArray(value)) {
    if (typeof segment !== 'number' || segment >= value.length) return undefined;
    return { value: value[segment] };
  }
  if (typeof segment !== 'string' || !isRecord(value)) return undefined;
  return Object.hasOwn(value, segment) ? { value: value[segment] } : undefined;
};

const segmentText = (segment: Segment): string =>
  typeof segment === 'number' ? `element ${segment}` : JSON.stringify(segment);

const nothingThere = ({ root, step, text, segments }: ParsedReference, at: number): ToolFailure => {
  const missing = segmentText(segments[at] ?? '');
  const owner = step === undefined ? `The ${root}` : `Step ${step}`;
  const message = `${owner} has nothing at ${text}: ${missing} is not there.`;
  return root === 'input'
    ? new ToolFailure('VALIDATION_ERROR', message, {
        issues: [{ path: segments.slice(0, at + 1), message: 'Is not there.' }],
      })
    : new ToolFailure('EXECUTION_FAILED', message);
};

/** Looks the path up. Throws a ToolFailure that names step and path when nothing is there. */
export const lookUp = (reference: ParsedReference, scope: ValueScope): unknown => {
  const { root, segments, text } = reference;
  if (root === 'item' && !Object.hasOwn(scope, 'item')) {
    throw new ToolFailure('EXECUTION_FAILED', `There is no item here: ${text}.`);
  }
  let value: unknown = scope[root];
  for (const [at, segment] of segments.entries()) {
    const child = childOf(value, segment);
    if (child === undefined || child.value === undefined) throw nothingThere(reference, at);
    value = child.value;
  }
  return value;
};
