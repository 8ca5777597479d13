/**
 * One version of a tool on its way to the pipeline. Nothing is compiled before the first call, so ten
 * thousand registered tools cost no more than their definitions.
 */
import type { ReadyTool } from '../../contract/call.ts';
import type { Labels } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { JsonSchema, Schema, SchemaSource } from '../../contract/schema.ts';
import type { Tool, ToolCategory, ToolSource } from '../../contract/tool.ts';
import { compileSchema, isZodSchema, type SchemaSide } from '../schema/compile-schema.ts';
import { declaredSchema } from '../schema/declared-schema.ts';
import { createLifecycle, type ToolLifecycle } from './tool-lifecycle.ts';

export interface ReadyState {
  /** The same object every time. Rejects with CONFIG_INVALID when a schema cannot be compiled. */
  ready(): ReadyTool | Promise<ReadyTool>;
  /** Compiles nothing. Throws CONFIG_INVALID for a Zod schema that JSON Schema cannot express. */
  json(side: SchemaSide): JsonSchema | undefined;
  /** Never rejects. Does nothing for a tool that was never asked for. */
  cleanup(): Promise<void>;
}

/** What may change while calls are on their way, read anew each time. */
export interface ReadyFlags {
  readonly deprecated: boolean;
  readonly enabled: boolean;
  readonly quarantined: boolean;
}

const UNTRUSTED: readonly ToolSource[] = ['mcp', 'external', 'workflow', 'package', 'team'];
const PRIVATE: readonly ToolCategory[] = ['filesystem', 'database'];

export const createReadyState = (tool: Tool, flags: ReadyFlags, runtime: Runtime): ReadyState => {
  const schemas: Partial<Record<SchemaSide, Schema | Promise<Schema>>> = {};
  const sources: Partial<Record<SchemaSide, SchemaSource | undefined>> = {};
  let ready: ReadyTool | Promise<ReadyTool> | undefined;
  let life: ToolLifecycle | undefined;

  // The server of such a tool checks its calls itself; a schema that is beyond us must not stop them.
  const leftOut =
    tool.source === 'mcp'
      ? (reason: string): void =>
          runtime.log.debug('A part of a schema is left to the server', { tool: tool.name, reason })
      : undefined;

  const sourceOf = (side: SchemaSide): SchemaSource | undefined => {
    sources[side] ??= declaredSchema(tool, side);
    return sources[side];
  };

  const compiled = (side: SchemaSide): Schema | Promise<Schema> | undefined => {
    const source = sourceOf(side);
    if (source !== undefined) schemas[side] ??= compileSchema(source, side, leftOut);
    return schemas[side];
  };

  const assemble = (input: Schema, output: Schema | undefined): ReadyTool => {
    life ??= createLifecycle(tool, runtime);
    ready = readyTool({ tool, flags, input, output, initialize: life.initialize });
    return ready;
  };

  const start = (): ReadyTool | Promise<ReadyTool> => {
    const input = compiled('input') as Schema | Promise<Schema>;
    const output = compiled('output');
    if (!(input instanceof Promise || output instanceof Promise)) return assemble(input, output);
    return Promise.all([input, output]).then(([inner, outer]) => assemble(inner, outer));
  };

  return {
    ready() {
      ready ??= start();
      return ready;
    },
    json(side) {
      const source = sourceOf(side);
      if (source === undefined || !isZodSchema(source)) return source;
      return (compiled(side) as Schema).json;
    },
    async cleanup() {
      await Promise.resolve(ready).catch(() => undefined);
      await life?.cleanup();
    },
  };
};

type Parts = Pick<ReadyTool, 'tool' | 'input' | 'output' | 'initialize'> & {
  readonly flags: ReadyFlags;
};

const readyTool = ({ tool, flags, input, output, initialize }: Parts): ReadyTool => ({
  tool,
  input,
  output,
  labels: labelsOf(tool),
  get deprecated() {
    return flags.deprecated;
  },
  get enabled() {
    return flags.enabled;
  },
  get quarantined() {
    return flags.quarantined;
  },
  initialize,
});

/** A tool may say what it knows better; one from outside is not believed, its user is. */
const labelsOf = ({ source, tier, category, needs, labels, assigned }: Tool): Labels => {
  if (assigned) return { trust: assigned.trust, sensitivity: assigned.sensitivity };
  const isOutside = UNTRUSTED.includes(source);
  const own = isOutside ? {} : (labels ?? {});
  const reachesOut = tier === 'external_api' || needs?.hosts !== undefined;
  const isPrivate = PRIVATE.includes(category) || needs?.paths !== undefined;
  return {
    trust: isOutside ? 'untrusted' : (own.trust ?? (reachesOut ? 'untrusted' : 'trusted')),
    sensitivity: own.sensitivity ?? (isPrivate ? 'private' : 'public'),
  };
};
