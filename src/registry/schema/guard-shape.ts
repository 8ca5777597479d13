/**
 * Copies an input and refuses what no schema should see: prototype keys, values that are not data,
 * nesting and size beyond the limits. Each member is read once, so that neither a getter nor the caller
 * can change afterwards what was checked. It runs before every validation: it walks without recursion
 * and allocates nothing but the copy for a flat object.
 */
import type { Issue } from '../../contract/errors.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';

export interface ShapeLimits {
  /** Counted roughly: a character is one byte, a number eight. */
  readonly maxBytes: number;
  /** How many containers may be nested; a flat object is one. */
  readonly maxDepth: number;
}

/** A container to check. The chain of parents gives the path of an issue. */
interface Container {
  readonly value: object;
  /** Receives its members. */
  readonly copy: object;
  readonly key: string | number;
  readonly parent: Container | undefined;
  readonly depth: number;
}

interface Walk {
  /** Containers still to check; made at the first nested one. */
  waiting: Container[] | undefined;
  bytes: number;
}

/** The fault in the shape of a value, or a copy of the value. */
export interface Shaped {
  readonly fault: Issue | undefined;
  readonly value: unknown;
}

/** Copies a value, or reports the first fault in its shape. Never throws. */
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
  let container: Container | undefined = {
    value: root,
    copy,
    key: '',
    parent: undefined,
    depth: 1,
  };
  while (container !== undefined) {
    if (container.depth > maxDepth)
      return issueAt(container, `is nested deeper than ${maxDepth} levels`);
    // An endless or looping structure grows with every step, so one of the two limits ends it.
    const issue: Issue | undefined = checkContainer(container, walk, maxBytes);
    if (issue !== undefined) return issue;
    if (walk.bytes > maxBytes) return { path: [], message: tooLarge(maxBytes) };
    container = walk.waiting?.pop();
  }
  return undefined;
};

const checkContainer = (container: Container, walk: Walk, maxBytes: number): Issue | undefined => {
  const { value } = container;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return checkObject(container, walk);
  if (prototype !== Array.prototype || !Array.isArray(value)) {
    return issueAt(container, 'is not a plain object or array');
  }
  // A sparse array may claim billions of items without holding one.
  walk.bytes += value.length;
  return walk.bytes > maxBytes ? undefined : checkArray(container, value, walk);
};

const checkObject = (container: Container, walk: Walk): Issue | undefined => {
  const record = container.value as Record<string, unknown>;
  const copy = container.copy as Record<string, unknown>;
  for (const key in record) {
    if (isPrototypeKey(key)) return issueIn(container, key, 'is a name that may not be used');
    const member = record[key];
    const weight = weigh(member);
    if (weight >= 0) {
      walk.bytes += weight + key.length + 4;
      copy[key] = member;
    } else if (!isContainer(member)) return issueIn(container, key, notData(member));
    else {
      walk.bytes += key.length + 6;
      copy[key] = enqueue(walk, { parent: container, key, value: member });
    }
  }
  return undefined;
};

const checkArray = (
  container: Container,
  items: readonly unknown[],
  walk: Walk,
): Issue | undefined => {
  const copy = container.copy as unknown[];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const weight = weigh(item);
    if (weight >= 0) {
      walk.bytes += weight;
      copy.push(item);
    } else if (!isContainer(item)) return issueIn(container, index, notData(item));
    else {
      walk.bytes += 2;
      copy.push(enqueue(walk, { parent: container, key: index, value: item }));
    }
  }
  return undefined;
};

/** Queues a container; returns the object that its members will be copied to. */
const enqueue = (
  walk: Walk,
  { parent, key, value }: Pick<Container, 'key' | 'value'> & { readonly parent: Container },
): object => {
  const copy = emptyCopy(value);
  walk.waiting ??= [];
  walk.waiting.push({ value, copy, key, parent, depth: parent.depth + 1 });
  return copy;
};

/** Tells objects and arrays; called only for values without a weight, so `null` is excluded. */
const isContainer = (value: unknown): value is object => typeof value === 'object';

/** Estimates the size of a scalar; negative for a container and for what is not data. */
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

const issueAt = (container: Container, message: string): Issue => {
  const path: (string | number)[] = [];
  for (let at: Container | undefined = container; at?.parent; at = at.parent) path.push(at.key);
  return { path: path.reverse(), message };
};

const issueIn = (container: Container, key: string | number, message: string): Issue => {
  const { path } = issueAt(container, message);
  return { path: [...path, key], message };
};
