/** The tools of a trusted project: compiled, and run in the sandbox with the broker behind it. */
import type { Catalog } from '../contract/catalog.ts';
import type { Events } from '../contract/events.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes, SandboxType } from '../contract/sandbox.ts';
import type { Source } from '../contract/source.ts';
import type { CompositionDefinition } from '../flow/compose/steps/composition-shape.ts';
import {
  type BuildComposed,
  createComposedSource,
} from '../sources/custom/create-composed-source.ts';
import { createCustomSource } from '../sources/custom/create-custom-source.ts';
import { type FileProblem, formatFileProblem } from '../sources/custom/file-problem.ts';
import { runIn } from './sources/run-in-sandbox.ts';

export interface CustomTools {
  /** Absolute. */
  readonly folder: string;
  /** Reads the trusted files, by path below the folder. */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The cache for compiled code: in the user's folder, never in the project's. */
  readonly cacheDir?: string;
}

/** Starts the default sandbox early: tools that were loaded will be called. */
const prepare = (sandboxes: Sandboxes, type: SandboxType): void => {
  const ignore = (): undefined => undefined;
  void sandboxes.get(type).then((sandbox) => sandbox.prepare?.(), ignore);
};

export interface CustomToolsDeps {
  readonly sandboxes: Sandboxes;
  /** The sandbox of tools that name none. */
  readonly defaultSandbox: SandboxType;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly registry: Pick<Catalog, 'get' | 'suggest'>;
}

/** The tools with code, and those that are composed of other tools. */
export interface CustomSources {
  readonly custom: Source;
  /** To be loaded after all other tools. */
  readonly composed: Source;
}

/** Calls the listener with the name of each tool that is added, changed or removed. */
const onToolChange =
  (events: Events) =>
  (changed: (name: string) => void): (() => void) => {
    const stops = (['tool.registered', 'tool.unregistered'] as const).map((event) =>
      events.on(event, ({ tool }) => changed(tool)),
    );
    return () => {
      for (const stop of stops) stop();
    };
  };

/** Loads the language of compositions only for composed tools. */
const buildComposed: BuildComposed = async (definition, parts) => {
  const { buildComposition } = await import('../flow/compose/steps/build-composition.ts');
  return buildComposition(definition as CompositionDefinition, parts);
};

export const openCustomTools = (tools: CustomTools, deps: CustomToolsDeps): CustomSources => {
  const { sandboxes, defaultSandbox, runtime } = deps;
  const report = (problem: FileProblem): void => runtime.log.warn(formatFileProblem(problem));
  const source = createCustomSource({
    ...tools,
    runCode: runIn(sandboxes),
    defaultSandbox,
    report,
    runtime,
  });
  const custom: Source = {
    ...source,
    load: async () => {
      const loaded = await source.load();
      if (loaded.length > 0) prepare(sandboxes, defaultSandbox);
      return loaded;
    },
  };
  const composed = createComposedSource({
    files: source.composed,
    build: buildComposed,
    find: (name) => deps.registry.get(name)?.tool,
    suggest: (name) => deps.registry.suggest(name),
    onToolChange: onToolChange(deps.events),
    report,
  });
  return { custom, composed };
};
