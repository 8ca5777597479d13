/**
 * Copies an input and refuses what no schema should ever see: prototype keys, things that are not
 * data, nesting and size beyond the limits. Each member is read once, so that neither a getter nor the
 * caller can change afterwards what was looked at. It runs before every validation: it walks without
 * recursion, and allocates nothing but the copy for a flat object.
 */
import type { Issue } from '../../contract/errors.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';

export interface ShapeLimits {
  /** Counted roughly: a character is one byte, a number eight. */
  readonly maxBytes: number;
  /** How many containers may lie inside one another; a flat object is one. */
  readonly maxDepth: number;
}

/** A container to look into. The chain of parents gives the path, should it be needed. */
interface Place {
  readonly value: object;
  /** What its members are copied to. */
  readonly copy: object;
  readonly key: string | number;
  readonly parent: Place | undefined;
  readonly depth: number;
}

interface Walk {
  /** Made when the first container inside another turns up. */
  waiting: Place[] | undefined;
  bytes: number;
}

/** What is wrong with the shape of a value, or else a copy of it. */
export interface Shaped {
  readonly fault: Issue | undefined;
  readonly value: unknown;
}

/** Copies a value, or says the first thing that is wrong with its shape. Never throws. */
export const takeShape = (value: unknown, limits: ShapeLimits): Shaped => {
  if (typeof value !== 'object' || value === null) {
    return { fault: guardScalar(value, limits), value };
  }
  try {
    const copy = emptyCopy(value);
    return { fault: guardTree(value, copy, limits), value: copy };
  } catch {
    // A proxy or a getter that throws: nothing that came from JSON does.
    return { fault: { path: [], message: 'cannot be read' }, value: undefined };
  }
};

const emptyCopy = (value: object): object => (Array.isArray(value) ? [] : {});

const guardScalar = (value: unknown, { maxBytes }: ShapeLimits): Issue | undefined => {
  const weight = weigh(value);
  if (weight < 0) return { path: [], message: notData(value) };
  return weight > maxBytes ? { path: [], message: tooLarge(maxBytes) } : undefined;
};

const guardTree = (
  root: object,
  copy: object,
  { maxBytes, maxDepth }: ShapeLimits,
): Issue | undefined => {
  const walk: Walk = { waiting: undefined, bytes: 2 };
  let place: Place | undefined = { value: root, copy, key: '', parent: undefined, depth: 1 };
  while (place !== undefined) {
    if (place.depth > maxDepth) return issueAt(place, `is nested deeper than ${maxDepth} levels`);
    // An endless or looping structure grows with every step, so one of the two limits ends it.
    const issue: Issue | undefined = lookInto(place, walk, maxBytes);
    if (issue !== undefined) return issue;
    if (walk.bytes > maxBytes) return { path: [], message: tooLarge(maxBytes) };
    place = walk.waiting?.pop();
  }
  return undefined;
};

const lookInto = (place: Place, walk: Walk, maxBytes: number): Issue | undefined => {
  const { value } = place;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return lookIntoObject(place, walk);
  if (prototype !== Array.prototype || !Array.isArray(value)) {
    return issueAt(place, 'is not a plain object or array');
  }
  // A sparse array may claim billions of items without holding one.
  walk.bytes += value.length;
  return walk.bytes > maxBytes ? undefined : lookIntoArray(place, value, walk);
};

const lookIntoObject = (place: Place, walk: Walk): Issue | undefined => {
  const record = place.value as Record<string, unknown>;
  const copy = place.copy as Record<string, unknown>;
  for (const key in record) {
    if (isPrototypeKey(key)) return issueIn(place, key, 'is a name that may not be used');
    const member = record[key];
    const weight = weigh(member);
    if (weight >= 0) {
      walk.bytes += weight + key.length + 4;
      copy[key] = member;
    } else if (!isContainer(member)) return issueIn(place, key, notData(member));
    else {
      walk.bytes += key.length + 6;
      copy[key] = putBy(walk, { parent: place, key, value: member });
    }
  }
  return undefined;
};

const lookIntoArray = (place: Place, items: readonly unknown[], walk: Walk): Issue | undefined => {
  const copy = place.copy as unknown[];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const weight = weigh(item);
    if (weight >= 0) {
      walk.bytes += weight;
      copy.push(item);
    } else if (!isContainer(item)) return issueIn(place, index, notData(item));
    else {
      walk.bytes += 2;
      copy.push(putBy(walk, { parent: place, key: index, value: item }));
    }
  }
  return undefined;
};

/** Notes a container to look into later; returns what its members will be copied to. */
const putBy = (
  walk: Walk,
  { parent, key, value }: Pick<Place, 'key' | 'value'> & { readonly parent: Place },
): object => {
  const copy = emptyCopy(value);
  walk.waiting ??= [];
  walk.waiting.push({ value, copy, key, parent, depth: parent.depth + 1 });
  return copy;
};

/** Asked about what has no weight, which `null` has. */
const isContainer = (value: unknown): value is object => typeof value === 'object';

/** The rough size of a scalar; below zero for a container and for what is not data. */
const weigh = (value: unknown): number => {
  switch (typeof value) {
    case 'number':
      return 8;
    case 'string':
      return value.length + 2;
    case 'boolean':
    case 'undefined':
      return 4;
    default:
      return value === null ? 4 : -1;
  }
};

const notData = (value: unknown): string => `is a ${typeof value}, which is not data`;

const tooLarge = (maxBytes: number): string => `is larger than ${maxBytes} bytes`;

const issueAt = (place: Place, message: string): Issue => {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.parent; at = at.parent) path.push(at.key);
  return { path: path.reverse(), message };
};

const issueIn = (place: Place, key: string | number, message: string): Issue => {
  const { path } = issueAt(place, message);
  return { path: [...path, key], message };
};
