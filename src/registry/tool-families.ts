/**
 * Holds the registered tools: one family of versions for each name. It decides what may be added and
 * which version is active; everything else in the registry reads from it.
 */
import type { CatalogEntry } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Quarantine } from '../contract/lock.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import { compact } from '../kit/data/compact.ts';
import { checkTool } from './check-tool.ts';
import { createReadyState, type ReadyState } from './load/ready-state.ts';
import { createNames, type Names } from './names.ts';
import { type Family, foremost, type Registered, versionOf } from './versions.ts';

/** The source of a tool; empty for one that the program registered itself. */
export interface Origin {
  readonly owner?: Source;
  readonly renamedFrom?: string;
}

export interface ToolFamiliesDeps {
  readonly runtime: Runtime;
  isOn(family: Family): boolean;
  /** Receives every name under which something has changed. */
  changed(name: string): void;
}

export class ToolFamilies {
  readonly #deps: ToolFamiliesDeps;
  readonly #names: Names = createNames();

  constructor(deps: ToolFamiliesDeps) {
    this.#deps = deps;
  }

  /** Finds by name, wire name or alias. */
  find(name: string): Family | undefined {
    return this.#names.find(name);
  }

  /** Finds by the real name only. */
  named(name: string): Family | undefined {
    return this.#names.named(name);
  }

  all(): IterableIterator<Family> {
    return this.#names.all();
  }

  /** Lists every name and alias of tools that are not in quarantine. */
  usableNames(): readonly string[] {
    return this.#names.allNames().filter((name) => !this.find(name)?.active.quarantine);
  }

  /** Adds a version. Throws CONFIG_INVALID for an unusable definition and CONFLICT for a version that exists. */
  put(tool: Tool, origin: Origin = {}): Registered {
    checkTool(tool);
    const registered = register(tool, origin);
    const family = this.#names.named(tool.name);
    if (family?.versions.has(tool.version)) throw taken(tool);
    if (family) {
      addVersion(family, registered);
      this.#names.refresh(family);
    } else this.#names.add(newFamily(registered));
    this.#deps.changed(tool.name);
    return registered;
  }

  /** Removes one version, or all. */
  take(family: Family, version?: string): readonly Registered[] {
    const all = [...family.versions.values()];
    const removed = all.filter(({ tool }) => version === undefined || tool.version === version);
    for (const { tool } of removed) family.versions.delete(tool.version);
    if (removed.includes(family.active)) {
      family.pinned = false;
      family.active = foremost(family.versions.values()) ?? family.active;
    }
    if (family.versions.size === 0) this.#names.remove(family);
    else this.#names.refresh(family);
    this.#deps.changed(family.name);
    return removed;
  }

  /** Replaces a version by another definition of it. Throws CONFIG_INVALID. */
  swap(family: Family, before: Registered, tool: Tool): Registered {
    checkTool(tool);
    const registered = { ...before, tool, quarantine: undefined, state: undefined };
    family.versions.set(tool.version, registered);
    if (family.active === before) family.active = registered;
    this.#names.refresh(family);
    this.#deps.changed(family.name);
    return registered;
  }

  /** Puts a version into quarantine or releases it; an accepted older version stays active meanwhile. */
  hold(registered: Registered, quarantine: Quarantine | undefined): void {
    registered.quarantine = quarantine;
    const family = this.#names.named(registered.tool.name);
    if (family && !family.pinned) {
      family.active = foremost(family.versions.values()) ?? family.active;
    }
    this.#deps.changed(registered.tool.name);
  }

  /** Makes a version the active one; newer versions do not replace it. Throws NOT_FOUND. */
  activate(family: Family, version: string): void {
    family.active = versionOf(family, version);
    family.pinned = true;
    this.#deps.changed(family.name);
  }

  entry(family: Family, registered: Registered = family.active): CatalogEntry {
    return {
      tool: registered.tool,
      wireName: family.wireName,
      enabled: this.#deps.isOn(family) && registered.quarantine === undefined,
      deprecated: registered.deprecated,
      ...compact({ renamedFrom: registered.renamedFrom, quarantine: registered.quarantine }),
    };
  }

  state(family: Family, registered: Registered = family.active): ReadyState {
    const { isOn, runtime } = this.#deps;
    registered.state ??= createReadyState(
      registered.tool,
      {
        get deprecated() {
          return registered.deprecated;
        },
        get enabled() {
          return registered.quarantine === undefined && isOn(family);
        },
        get quarantined() {
          return registered.quarantine !== undefined;
        },
      },
      runtime,
    );
    return registered.state;
  }
}

const register = (tool: Tool, { owner, renamedFrom }: Origin): Registered => ({
  tool,
  owner,
  renamedFrom,
  deprecated: false,
  quarantine: undefined,
  state: undefined,
});

const newFamily = (registered: Registered): Family => ({
  name: registered.tool.name,
  versions: new Map([[registered.tool.version, registered]]),
  wireName: '',
  active: registered,
  pinned: false,
  enabled: undefined,
});

const addVersion = (family: Family, registered: Registered): void => {
  family.versions.set(registered.tool.version, registered);
  if (!family.pinned) family.active = foremost(family.versions.values()) ?? registered;
};

/** Makes the error for a version that exists already. */
export const taken = ({ name, version }: Tool): ToolFailure =>
  new ToolFailure('CONFLICT', `Version ${version} of ${name} is registered already.`, {
    suggestions: ['Give it another version, or replace the present one with update.'],
  });
