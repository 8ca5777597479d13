/** Who answers to which alias. Several tools may claim one: the first has it, and the next when the first is gone. */
import type { Family } from '../versions.ts';

export interface Aliases {
  owner(alias: string): Family | undefined;
  /** Takes the aliases of all versions of the family in place of those it had. */
  claim(family: Family): void;
  drop(family: Family): void;
  all(): IterableIterator<string>;
}

export const createAliases = (): Aliases => {
  const claims = new Map<string, readonly Family[]>();
  const held = new Map<Family, ReadonlySet<string>>();

  const release = (alias: string, family: Family): void => {
    const others = (claims.get(alias) ?? []).filter((other) => other !== family);
    if (others.length === 0) claims.delete(alias);
    else claims.set(alias, others);
  };

  const hold = (family: Family, wanted: ReadonlySet<string>): void => {
    const before = held.get(family);
    for (const alias of before ?? []) if (!wanted.has(alias)) release(alias, family);
    for (const alias of wanted) {
      if (!before?.has(alias)) claims.set(alias, [...(claims.get(alias) ?? []), family]);
    }
    if (wanted.size === 0) held.delete(family);
    else held.set(family, wanted);
  };

  return {
    owner: (alias) => claims.get(alias)?.[0],
    claim: (family) => hold(family, aliasesOf(family)),
    drop: (family) => hold(family, new Set()),
    all: () => claims.keys(),
  };
};

const aliasesOf = (family: Family): ReadonlySet<string> => {
  const wanted = new Set<string>();
  for (const { tool } of family.versions.values()) {
    for (const alias of tool.aliases ?? []) wanted.add(alias);
  }
  return wanted;
};
