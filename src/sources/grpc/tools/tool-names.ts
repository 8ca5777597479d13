/**
 * Gives each method the name of its tool, `Service_Method`, with the package only where two would be
 * the same, and decides by `include` and `exclude` which methods become tools.
 */
import { createHash } from 'node:crypto';
import { wildcard } from '../../../kit/text/wildcard.ts';

const MAX_NAME = 64;
const HASH_DIGITS = 8;

export interface NamedMethod {
  /** With its package. */
  readonly service: string;
  readonly method: string;
}

export const pathOf = ({ service, method }: NamedMethod): string => `/${service}/${method}`;

const shortName = ({ service, method }: NamedMethod): string =>
  `${service.slice(service.lastIndexOf('.') + 1)}_${method}`.replace(/^_+/, '');

const longName = ({ service, method }: NamedMethod): string =>
  `${service.replaceAll('.', '_')}_${method}`.replace(/^_+/, '');

const digestOf = (method: NamedMethod): string =>
  createHash('sha256').update(pathOf(method)).digest('hex').slice(0, HASH_DIGITS);

/** Shortens a name that is too long and appends a digest, so that it stays unique and stable. */
const bounded = (name: string, method: NamedMethod): string =>
  name.length <= MAX_NAME
    ? name
    : `${name.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${digestOf(method)}`;

/** Finds names that occur twice, ignoring case: such names are easily mixed up. */
const doubled = (names: readonly string[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const name of names) {
    const key = name.toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([key, count]) => (count > 1 ? [key] : [])));
};

/** Gives the names by the paths of the methods. */
export const toolNames = (methods: readonly NamedMethod[]): ReadonlyMap<string, string> => {
  const short = doubled(methods.map(shortName));
  const first = methods.map((method) => {
    const name = shortName(method);
    const isTaken = name === '' || short.has(name.toLowerCase());
    return bounded(isTaken ? longName(method) : name, method);
  });
  const still = doubled(first);
  return new Map(
    methods.map((method, at) => {
      const name = first[at] ?? '';
      const unique = still.has(name.toLowerCase())
        ? `${name.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${digestOf(method)}`
        : name;
      return [pathOf(method), unique];
    }),
  );
};

/** Lists the names that a pattern may use for a method: service or method, with or without the package. */
const namesOf = ({ service, method }: NamedMethod): readonly string[] => {
  const short = service.slice(service.lastIndexOf('.') + 1);
  return [service, `${service}/${method}`, short, `${short}/${method}`];
};

/** Makes the filter. Exclusion wins; without `include` all methods are in. */
export const createMethodFilter = (
  include: readonly string[],
  exclude: readonly string[],
): ((method: NamedMethod) => boolean) => {
  const included = include.map(wildcard);
  const excluded = exclude.map(wildcard);
  return (method) => {
    const names = namesOf(method);
    const isNamed = (tests: typeof included): boolean => tests.some((test) => names.some(test));
    return (included.length === 0 || isNamed(included)) && !isNamed(excluded);
  };
};
