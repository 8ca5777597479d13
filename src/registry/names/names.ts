/**
 * Finds a tool by any of its names. A real name always wins; a wire name leads to the one tool that
 * shows it to models; an alias answers only where nothing else does.
 */

import type { Family } from '../versions.ts';
import { createAliases } from './aliases.ts';
import { wireName } from './wire-name.ts';

export interface Names {
  /** By name, wire name or alias. */
  find(name: string): Family | undefined;
  /** By its real name only. */
  named(name: string): Family | undefined;
  /** Gives the family its wire name and makes it known. */
  add(family: Family): void;
  remove(family: Family): void;
  /** Reads the aliases again, after the versions have changed. */
  refresh(family: Family): void;
  all(): IterableIterator<Family>;
  /** Every name and alias, for "did you mean". */
  spoken(): readonly string[];
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
    // A name that is fine for models is its own wire name, whatever aliases say.
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
      // Another tool may show models a changed form of its name that is the real name of this one.
      const squatter = byWire.get(family.name);
      byWire.delete(family.name);
      byName.set(family.name, family);
      aliases.claim(family);
      assignWire(family);
      if (squatter) assignWire(squatter);
    },
    remove(family) {
      byName.delete(family.name);
      byWire.delete(family.wireName);
      aliases.drop(family);
    },
    refresh: aliases.claim,
    all: () => byName.values(),
    spoken: () => [...byName.keys(), ...aliases.all()],
  };
};
