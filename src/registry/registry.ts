/** Puts the registry together: tools by name or search, compiled at the first use, shown to models. */
import type { ReadyTool } from '../contract/call.ts';
import type { Catalog, LoadReport } from '../contract/catalog.ts';
import type { Events } from '../contract/events.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import { unmetDependency } from './dependencies.ts';
import { createEditing } from './editing.ts';
import { createLoading } from './load/loading.ts';
import type { Gate } from './lock/gate.ts';
import { createLookup } from './lookup.ts';
import { createModelView } from './model-view.ts';
import { createSearch, type UsageOf } from './search/search.ts';
import { ToolFamilies } from './tool-families.ts';

export interface RegistryDeps {
  readonly runtime: Runtime;
  readonly events?: Events;
  /** Feeds the rankings by popularity, recency and performance. */
  readonly usage?: UsageOf;
  /**
   * Tells whether the configuration switches a tool on or off; nothing leaves it to `setEnabled`.
   */
  readonly isEnabled?: (name: string) => boolean | undefined;
  /** Tells whether a team enforces a tool: it can be neither switched off nor replaced here. */
  readonly isEnforced?: (name: string) => boolean;
  /** Decides about tools from outside; without one they are not held. */
  readonly gate?: Gate;
}

export interface Registry extends Catalog {
  /**
   * Gives the tool as the pipeline runs it: at once when it was used before, nothing when there is
   * none. Rejects with CONFIG_INVALID when its schema cannot be used.
   */
  ready(name: string, version?: string): ReadyTool | Promise<ReadyTool> | undefined;
  /** Says which dependency keeps a tool from running; nothing when it can run. */
  unmetDependency(tool: Tool): string | undefined;
  /** Loads sources. Never rejects: the reports hold what failed. */
  load(sources: readonly Source[]): Promise<readonly LoadReport[]>;
  /** Removes the tools of a source and closes it. Never rejects. */
  unload(source: Source): Promise<void>;
  /** Loads a source again whenever it says that its tools have changed. */
  watch(): void;
  /** Cleans up every tool that was used, then closes the sources. Never rejects. */
  close(): Promise<void>;
}

export const createRegistry = (deps: RegistryDeps): Registry => {
  const { runtime, events, usage = () => undefined, isEnforced = () => false } = deps;
  const allows = configuredSwitch(deps);
  const families = new ToolFamilies({
    runtime,
    isOn: ({ name, enabled, active }) => {
      const configured = allows(name);
      if (configured === false) return false;
      if (isEnforced(name)) return true;
      return enabled ?? (configured === true || active.tool.enabled !== false);
    },
    changed: (name) => search.touch(name),
  });
  const search = createSearch({ families, usage });
  deps.gate?.guard(families);
  const loading = createLoading(families, deps);

  return {
    ...createLookup(families, search),
    ...createEditing({ families, events, allows, isEnforced }),
    ...createModelView(families),
    ready(name, version) {
      const family = families.find(name);
      if (family === undefined) return undefined;
      const registered = version === undefined ? family.active : family.versions.get(version);
      return registered && (registered.state ?? families.state(family, registered)).ready();
    },
    unmetDependency: (tool) => unmetDependency(tool, families),
    load: (sources) => loading.load(sources),
    unload: (source) => loading.unload(source),
    watch: () => loading.watch(),
    close: () => loading.close(),
    get loads() {
      return loading.reports();
    },
  };
};

/** Reads the switch of the configuration; a failure to read it counts as off. */
const configuredSwitch =
  ({ isEnabled, runtime }: RegistryDeps) =>
  (name: string): boolean | undefined => {
    try {
      return isEnabled?.(name);
    } catch (error) {
      const reason = reasonOf(error);
      runtime.log.error('Whether a tool is enabled could not be read', { tool: name, reason });
      return false;
    }
  };
