/** Compares one value of a project with the user's: taken, taken in part, or not taken, and why. */
import type { ProjectRule } from '../config/project-rule.ts';
import { isRecord } from '../kit/data/is-record.ts';

export interface Comparison {
  /** What the project says. */
  readonly given: unknown;
  /** What holds without it: the user's value, or the default; `undefined` when there is neither. */
  readonly user: unknown;
  /** The user has an entry under the name that this setting belongs to, e.g. a server. */
  readonly entryTaken: boolean;
  /** The user enforces the tool that this setting belongs to. */
  readonly enforced: boolean;
}

export interface Ruling {
  /** The value to take; absent when nothing of it is taken. */
  readonly taken?: { readonly value: unknown };
  /** Why not all of it is taken. Never holds a value. */
  readonly message?: string;
}

const take = (value: unknown): Ruling => ({ taken: { value } });

const takeIf = (holds: boolean, value: unknown, message: string): Ruling =>
  holds ? take(value) : { message };

const LOWER = 'a project can lower this, not raise it';
const HIGHER = 'a project can raise this, not lower it';

const number = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** Treats any limit as lower where the user has none. */
const isLower = (given: unknown, user: unknown): boolean =>
  Number(given) <= (number(user) ?? Number.POSITIVE_INFINITY);

/** Treats nothing as higher where the user has no bound. */
const isHigher = (given: unknown, user: unknown): boolean =>
  Number(given) >= (number(user) ?? Number.POSITIVE_INFINITY);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const subset = (given: unknown, user: unknown): Ruling => {
  const allowed = listOf(user);
  const taken = listOf(given).filter((item) => allowed.includes(item));
  return taken.length === listOf(given).length
    ? take(taken)
    : { ...take(taken), message: 'a project can leave entries of your list out, not add any' };
};

const asSpending = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'number' ? { usd: value } : isRecord(value) ? value : {};

/** Compares every kind of limit by itself; a plain number is dollars. */
const spending = (given: unknown, user: unknown): Ruling => {
  const merged: Record<string, unknown> = { ...asSpending(user) };
  let message: string | undefined;
  for (const [kind, limit] of Object.entries(asSpending(given))) {
    if (isLower(limit, merged[kind])) merged[kind] = limit;
    else message = LOWER;
  }
  return { ...take(merged), ...(message !== undefined && { message }) };
};

/** Accepts fewer repeats in a longer time; what the project leaves out is the user's. */
const loop = (given: unknown, user: unknown): Ruling => {
  if (!isRecord(user)) return take(given);
  const strict = 'a project can make the loop breaker stricter, not laxer';
  if (!isRecord(given)) return { message: strict };
  const { identicalCalls = user.identicalCalls, windowSeconds = user.windowSeconds } = given;
  const stricter =
    isLower(identicalCalls, user.identicalCalls) && isHigher(windowSeconds, user.windowSeconds);
  return takeIf(stricter, { identicalCalls, windowSeconds }, strict);
};

type Judge = (comparison: Comparison) => Ruling;

const JUDGES: Readonly<Record<Extract<ProjectRule, string>, Judge>> = {
  free: ({ given }) => take(given),
  // The project's own list is read where it is used; the user's is not replaced by it.
  own: () => ({}),
  user: () => ({ message: 'only your own configuration or the environment can set this' }),
  lower: ({ given, user }) => takeIf(isLower(given, user), given, LOWER),
  'lower-set': ({ given, user }) =>
    user === undefined
      ? { message: 'a project can lower a limit of yours, and you have set none' }
      : takeIf(isLower(given, user), given, LOWER),
  higher: ({ given, user }) => takeIf(isHigher(given, user), given, HIGHER),
  off: ({ given, user }) =>
    takeIf(given === false || user !== false, given, 'a project can switch this off, not on'),
  'tool-off': ({ given, user, enforced }) =>
    given === false && enforced
      ? { message: 'you enforce this tool, so a project cannot switch it off' }
      : takeIf(given === false || user !== false, given, 'a project can switch a tool off, not on'),
  on: ({ given, user }) =>
    takeIf(given === true || user === false, given, 'a project can switch this on, not off'),
  union: ({ given, user }) => take([...new Set([...listOf(user), ...listOf(given)])]),
  subset: ({ given, user }) => subset(given, user),
  add: ({ given, entryTaken }) =>
    takeIf(!entryTaken, given, 'you have an entry of this name, which a project cannot change'),
  spending: ({ given, user }) => spending(given, user),
  loop: ({ given, user }) => loop(given, user),
};

/** Judges a setting by every rule but `inside`, which needs the file system. */
export const judgeProjectSetting = (
  rule: Exclude<ProjectRule, { readonly inside: string }>,
  comparison: Comparison,
): Ruling => {
  if (typeof rule === 'string') return JUDGES[rule](comparison);
  const rank = (value: unknown): number => rule.order.indexOf(String(value));
  const { given, user } = comparison;
  const message = 'a project can make this stricter, not laxer';
  return takeIf(rank(given) >= rank(user), given, message);
};
