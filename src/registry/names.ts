/**
 * Finds a tool by any of its names. A real name always wins, then the wire name (the name a model sees),
 * then an alias.
 */
import type { Family } from './versions.ts';

export interface Names {
  /** Finds by name, wire name or alias. */
  find(name: string): Family | undefined;
  /** Finds by the real name only. */
  named(name: string): Family | undefined;
  /** Adds the family and gives it its wire name. */
  add(family: Family): void;
  remove(family: Family): void;
  /** Reads the aliases again after the versions have changed. */
  refresh(family: Family): void;
  all(): IterableIterator<Family>;
  /** Lists every name and alias, for "did you mean". */
  allNames(): readonly string[];
}

export const createNames = (): Names => {
  const byName = new Map<string, Family>();
  const byWire = new Map<string, Family>();
  const aliases = createAliases();

  const isTakenFrom = (family: Family, wire: string): boolean => {
    const owner = aliases.owner(wire);
    if (byWire.has(wire) || (owner !== undefined && owner !== family)) return true;
    return wire !== family.name && byName.has(wire);
  };

  const assignWire = (family: Family): void => {
    // A name that is legal for models is its own wire name, even where an alias claims it.
    const own = family.name;
    family.wireName = wireName(own, (wire) =>
      wire === own ? byWire.has(own) : isTakenFrom(family, wire),
    );
    byWire.set(family.wireName, family);
  };

  return {
    find: (name) => byName.get(name) ?? byWire.get(name) ?? aliases.owner(name),
    named: (name) => byName.get(name),
    add(family) {
      // The wire name of another tool may be the real name of this one.
      const displaced = byWire.get(family.name);
      byWire.delete(family.name);
      byName.set(family.name, family);
      aliases.claim(family);
      assignWire(family);
      if (displaced) assignWire(displaced);
    },
    remove(family) {
      byName.delete(family.name);
      byWire.delete(family.wireName);
      aliases.drop(family);
    },
    refresh: aliases.claim,
    all: () => byName.values(),
    allNames: () => [...byName.keys(), ...aliases.all()],
  };
};

/** Loads the module at the first use: it would slow the start of every command. */
const crypto = () => process.getBuiltinModule('node:crypto');

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * Makes the name that models see: at most 64 letters, digits, `_` and `-`, the same at every start. One
 * that is too long, or that another tool has, ends in a hash of the full name, so that it depends as
 * little as possible on the order of registration.
 */
export const wireName = (name: string, taken: (wire: string) => boolean): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  if (plain.length <= MAX_LENGTH && !taken(plain)) return plain;
  for (let attempt = 0; ; attempt += 1) {
    const hashed = withHash(plain, attempt === 0 ? name : `${name}#${attempt}`);
    if (!taken(hashed)) return hashed;
  }
};

const withHash = (plain: string, text: string): string => {
  const hash = crypto().createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
};

/** Several tools may claim one alias: the first has it, and the next one when the first is removed. */
interface Aliases {
  owner(alias: string): Family | undefined;
  /** Replaces the claims of the family by the aliases of all its versions. */
  claim(family: Family): void;
  drop(family: Family): void;
  all(): IterableIterator<string>;
}

const createAliases = (): Aliases => {
  const claims = new Map<string, readonly Family[]>();
  const aliasesByFamily = new Map<Family, ReadonlySet<string>>();

  const release = (alias: string, family: Family): void => {
    const others = (claims.get(alias) ?? []).filter((other) => other !== family);
    if (others.length === 0) claims.delete(alias);
    else claims.set(alias, others);
  };

  const replace = (family: Family, names: ReadonlySet<string>): void => {
    const before = aliasesByFamily.get(family);
    for (const alias of before ?? []) if (!names.has(alias)) release(alias, family);
    for (const alias of names) {
      if (!before?.has(alias)) claims.set(alias, [...(claims.get(alias) ?? []), family]);
    }
    if (names.size === 0) aliasesByFamily.delete(family);
    else aliasesByFamily.set(family, names);
  };

  return {
    owner: (alias) => claims.get(alias)?.[0],
    claim: (family) => replace(family, aliasesOf(family)),
    drop: (family) => replace(family, new Set()),
    all: () => claims.keys(),
  };
};

const aliasesOf = (family: Family): ReadonlySet<string> =>
  new Set([...family.versions.values()].flatMap(({ tool }) => tool.aliases ?? []));
