/** The registry: every tool there is, found by name or by search, compiled on first use, shown to models. */
import type { ReadyTool } from '../contract/call.ts';
import type { Catalog, LoadReport } from '../contract/catalog.ts';
import type { Events } from '../contract/events.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import { createEditing } from './editing.ts';
import { createLoading } from './load/loading.ts';
import type { Gate } from './lock/gate.ts';
import { createLookup } from './lookup.ts';
import { createModelView } from './model-view.ts';
import { createSearch } from './search/search.ts';
import type { UsageOf } from './search/usage.ts';
import { ToolFamilies } from './tool-families.ts';
import { unmetDependency } from './unmet-dependency.ts';

export interface RegistryDeps {
  readonly runtime: Runtime;
  readonly events?: Events;
  /** Feeds the rankings by popularity, recency and performance. */
  readonly usage?: UsageOf;
  /** What configuration says of a tool; nothing leaves it to `setEnabled`. */
  readonly isEnabled?: (name: string) => boolean | undefined;
  /** Who decides about tools from outside; without one they are not held. */
  readonly gate?: Gate;
}

export interface Registry extends Catalog {
  /**
   * The tool as the pipeline runs it: at once when it was used before, nothing when there is none.
   * Rejects with CONFIG_INVALID when its schema cannot be used.
   */
  ready(name: string, version?: string): ReadyTool | Promise<ReadyTool> | undefined;
  /** Says in words what a tool depends on and cannot use; nothing when it can run. */
  unmetDependency(tool: Tool): string | undefined;
  /** Never rejects: what went wrong is in the reports. */
  load(sources: readonly Source[]): Promise<readonly LoadReport[]>;
  /** Loads a source again whenever it says that its tools have changed. */
  watch(): void;
  /** Cleans up every tool that was used, then closes the sources. Never rejects. */
  close(): Promise<void>;
}

export const createRegistry = (deps: RegistryDeps): Registry => {
  const { runtime, events, usage = () => undefined } = deps;
  const allows = configuredSwitch(deps);
  const families = new ToolFamilies({
    runtime,
    isOn: ({ name, enabled, active }) => {
      const configured = allows(name);
      if (configured === false) return false;
      return enabled ?? (configured === true || active.tool.enabled !== false);
    },
    changed: (name) => search.touch(name),
  });
  const search = createSearch({ families, usage });
  deps.gate?.guard(families);
  const loading = createLoading(families, deps);

  return {
    ...createLookup(families, search),
    ...createEditing({ families, events, allows }),
    ...createModelView(families),
    ready(name, version) {
      const family = families.find(name);
      if (family === undefined) return undefined;
      const found = version === undefined ? family.active : family.versions.get(version);
      return found && (found.state ?? families.state(family, found)).ready();
    },
    unmetDependency: (tool) => unmetDependency(tool, families),
    load: loading.load,
    watch: loading.watch,
    close: loading.close,
    get loads() {
      return loading.reports();
    },
  };
};

/** A configuration that cannot answer has not said yes. */
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
