/**
 * Prepares one version of a tool for the pipeline. Nothing is compiled before the first call, so ten
 * thousand registered tools cost no more than their definitions.
 */
import type { ReadyTool } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { JsonSchema, Schema, SchemaSource } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import {
  compileSchema,
  declaredSchema,
  isZodSchema,
  type SchemaSide,
} from '../schema/compile-schema.ts';
import { toolLabels } from './tool-labels.ts';

export interface ReadyState {
  /** Gives the same object every time. Rejects with CONFIG_INVALID when a schema cannot be compiled. */
  ready(): ReadyTool | Promise<ReadyTool>;
  /**
   * Gives the JSON Schema; compiles nothing. Throws CONFIG_INVALID for a Zod schema that JSON Schema cannot
   * express.
   */
  json(side: SchemaSide): JsonSchema | undefined;
  /** Cleans the tool up, unless it was never called. Never rejects. */
  cleanup(): Promise<void>;
}

/** Flags that may change during a call; read each time. */
export interface ReadyFlags {
  readonly deprecated: boolean;
  readonly enabled: boolean;
  readonly quarantined: boolean;
}

export const createReadyState = (tool: Tool, flags: ReadyFlags, runtime: Runtime): ReadyState => {
  const schemas: Partial<Record<SchemaSide, Schema | Promise<Schema>>> = {};
  const sources: Partial<Record<SchemaSide, SchemaSource | undefined>> = {};
  let ready: ReadyTool | Promise<ReadyTool> | undefined;
  let lifecycle: ToolLifecycle | undefined;

  // A server or an API checks its calls itself, so a schema that we cannot compile must not stop them.
  const onLeftOut =
    tool.source === 'mcp' || tool.source === 'external'
      ? (reason: string): void => {
          // The documentation of an MCP tool says so already.
          const level = tool.source === 'mcp' ? 'debug' : 'warn';
          runtime.log[level]('A part of a schema is not checked', { tool: tool.name, reason });
        }
      : undefined;

  const sourceOf = (side: SchemaSide): SchemaSource | undefined => {
    sources[side] ??= declaredSchema(tool, side);
    return sources[side];
  };

  const compiled = (side: SchemaSide): Schema | Promise<Schema> | undefined => {
    const source = sourceOf(side);
    if (source !== undefined) schemas[side] ??= compileSchema(source, side, onLeftOut);
    return schemas[side];
  };

  const assemble = (input: Schema, output: Schema | undefined): ReadyTool => {
    lifecycle ??= createLifecycle(tool, runtime);
    ready = readyTool({ tool, flags, input, output, initialize: lifecycle.initialize });
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
      await lifecycle?.cleanup();
    },
  };
};

type ReadyToolDeps = Pick<ReadyTool, 'tool' | 'input' | 'output' | 'initialize'> & {
  readonly flags: ReadyFlags;
};

const readyTool = ({ tool, flags, input, output, initialize }: ReadyToolDeps): ReadyTool => ({
  tool,
  input,
  output,
  labels: toolLabels(tool),
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

interface ToolLifecycle {
  /**
   * Runs `initialize` once; nothing when there is nothing to wait for. Rejects as it does; the next
   * call tries again.
   */
  initialize(): Promise<void> | undefined;
  /** Runs the cleanup. Never rejects: a failure is logged. */
  cleanup(): Promise<void>;
}

const CLEANUP_MS = 10_000;
const REPLACED = 'The tool was replaced or removed while the call was on its way.';

/** Runs the `initialize` of a tool once before its first call and its `cleanup` once at the end. */
const createLifecycle = (tool: Tool, runtime: Runtime): ToolLifecycle => {
  let phase: 'idle' | 'initialized' | 'over' = 'idle';
  let running: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    // One tick later, so that an `initialize` that throws at once finds `running` set.
    await Promise.resolve();
    try {
      await tool.initialize?.();
      if (phase === 'idle') phase = 'initialized';
    } finally {
      running = undefined;
    }
  };

  return {
    initialize() {
      if (tool.initialize === undefined || phase === 'initialized') return undefined;
      if (phase === 'over') return Promise.reject(new ToolFailure('CONFLICT', REPLACED));
      running ??= start();
      return running;
    },
    async cleanup() {
      if (phase === 'over') return;
      phase = 'over';
      const starting = running;
      // An `initialize` that never settles must not keep the crib open.
      if (starting) await within(runtime, CLEANUP_MS, () => starting).catch(() => undefined);
      if (tool.cleanup) await runCleanup(tool, runtime);
    },
  };
};

/** Runs the cleanup; one that fails or hangs is logged and abandoned. */
const runCleanup = async (tool: Tool, runtime: Runtime): Promise<void> => {
  const failed = (reason: string): void =>
    runtime.log.error('The cleanup of a tool failed', { tool: tool.name, reason });
  await new Promise<void>((done) => {
    const timer = runtime.after(CLEANUP_MS, () => {
      failed(`still running after ${CLEANUP_MS} ms`);
      done();
    });
    Promise.resolve()
      .then(() => tool.cleanup?.())
      .catch((error: unknown) => failed(reasonOf(error)))
      .finally(() => {
        timer.cancel();
        done();
      });
  });
};
