/** Decides by `include` and `exclude` which methods become tools. */
import type { NamedMethod } from './tool-names.ts';

/** Matches `*` with any text; takes the first fitting place, so that it is linear in the text. */
const matches = (pattern: string, text: string): boolean => {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return pattern === text;
  if (!text.startsWith(start) || text.length < start.length + end.length) return false;
  let at = start.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(end) && text.length - end.length >= at;
};

/** A pattern may name a service or a method, with or without the package. */
const namesOf = ({ service, method }: NamedMethod): readonly string[] => {
  const short = service.slice(service.lastIndexOf('.') + 1);
  return [service, `${service}/${method}`, short, `${short}/${method}`];
};

export const createMethodFilter = (
  include: readonly string[],
  exclude: readonly string[],
): ((method: NamedMethod) => boolean) => {
  const isNamed = (patterns: readonly string[], names: readonly string[]): boolean =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  return (method) => {
    const names = namesOf(method);
    return (include.length === 0 || isNamed(include, names)) && !isNamed(exclude, names);
  };
};
