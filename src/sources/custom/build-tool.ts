/** Builds a tool from a definition and its compiled code; `run` hands the code to the sandbox. */
import { posix } from 'node:path';
import type { ToolContext } from '../../contract/context.ts';
import type { SandboxConfig, SandboxType } from '../../contract/sandbox.ts';
import type { Tool } from '../../contract/tool.ts';
import type { SharedDefinition } from './definition-shape.ts';
import type { Reach } from './derive-reach.ts';
import { type MappedCode, mapFailure } from './map-failure.ts';

export interface CodeRun {
  /** An ES module; its export `run` gets `(input, context)`. */
  readonly code: string;
  /** Ends in `.js`; positions in errors refer to it. */
  readonly name: string;
  readonly input: unknown;
  /** The context of the call; absent while a module only describes itself: it has no access then. */
  readonly context: ToolContext | undefined;
  readonly config: SandboxConfig;
  /** Whether the code may use the model. */
  readonly model?: boolean;
}

/** Runs code in the sandbox that the configuration names. Rejects with a coded failure. */
export type RunCode = (run: CodeRun) => Promise<unknown>;

/** Makes a file name that every sandbox accepts. */
export const sandboxName = (file: string): string => {
  const { name } = posix.parse(file);
  return `${name.replaceAll(/[^\w.-]/g, '_')}.js`;
};

const MEMORY_MB = 256;

export const sandboxConfig = (type: SandboxType, timeLimit: number): SandboxConfig => ({
  type,
  resourceLimits: { memoryMb: MEMORY_MB },
  timeLimit,
});

/** Picks the plain data of the context; the sandbox provides the rest by name. */
const factsOf = (context: ToolContext): Readonly<Record<string, unknown>> => {
  const { executionId, sessionId, loopId, agentId, userId, idempotencyKey, degraded } = context;
  return { executionId, sessionId, loopId, agentId, userId, idempotencyKey, degraded };
};

export interface CompiledTool {
  readonly definition: SharedDefinition;
  readonly reach: Reach;
  readonly code: MappedCode;
  /** Passed to the entry of the bundle beside the input. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly rest: Partial<Tool> & Pick<Tool, 'input' | 'category'>;
}

/** Where the code of a tool runs. */
export interface Runner {
  readonly runCode: RunCode;
  /** The sandbox of a tool that names none. */
  readonly defaultSandbox: SandboxType;
  /** The sandbox of all tools, whatever they name. */
  readonly onlySandbox?: SandboxType;
}

/** Makes the tag by which `tools test` finds the tools of a file. */
export const fileTag = (file: string): string => `file:${file}`;

export const buildTool = (compiled: CompiledTool, runner: Runner): Tool => {
  const { runCode, defaultSandbox, onlySandbox } = runner;
  const { definition, reach, code, request, rest } = compiled;
  const { name, version, description, documentation, author, license, output } = definition;
  const type = onlySandbox ?? definition.sandbox ?? defaultSandbox;
  const config = sandboxConfig(type, definition.timeoutMs);
  return {
    name,
    version,
    description,
    source: 'custom',
    tags: [...definition.tags, fileTag(code.file)],
    examples: definition.examples,
    permissions: [`tool:${name}`],
    timeoutMs: definition.timeoutMs,
    sandbox: config,
    sandboxed: true,
    ...reach,
    ...(reach.needs.model && { cost: { model: 'usage_based' as const } }),
    ...(documentation !== undefined && { documentation }),
    ...(author !== undefined && { author }),
    ...(license !== undefined && { license }),
    ...(output !== undefined && { output }),
    ...(definition.dependencies && { dependencies: definition.dependencies }),
    ...(definition.labels && { labels: definition.labels }),
    ...(definition.resourceRequirements && {
      resourceRequirements: definition.resourceRequirements,
    }),
    ...(definition.sink && { sink: definition.sink }),
    ...rest,
    run: async (input, context) => {
      const payload = { ...request, input, facts: factsOf(context) };
      try {
        const { text, name: file } = code;
        const model = reach.needs.model === true;
        return await runCode({ code: text, name: file, input: payload, context, config, model });
      } catch (error) {
        throw mapFailure(error, code);
      }
    },
  };
};
