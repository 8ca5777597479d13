/** Decides by `include` and `exclude` which methods become tools. */
import { wildcard } from '../../../kit/text/wildcard.ts';
import type { NamedMethod } from './tool-names.ts';

/** A pattern may name a service or a method, with or without the package. */
const namesOf = ({ service, method }: NamedMethod): readonly string[] => {
  const short = service.slice(service.lastIndexOf('.') + 1);
  return [service, `${service}/${method}`, short, `${short}/${method}`];
};

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
