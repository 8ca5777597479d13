/** The shape of a composed tool as data: the same for YAML files and for objects in TypeScript. */
import { z } from 'zod';
import { TOOL_NAME } from '../../../contract/tool-name.ts';
import { HOUR_MS } from '../../../kit/data/durations.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { MAX_PARTS } from '../compose-options.ts';

const MAX_RETRIES = 5;
const MAX_PARAMETERS = 100;

const text = z.string().trim().min(1);
const toolName = z.string().regex(TOOL_NAME, {
  error: 'expected the name of a tool',
});
const stepId = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, {
    error: 'expected up to 64 letters, digits or "_", no digit first',
  })
  .refine((name) => !isPrototypeKey(name), {
    error: 'a step cannot have this name; choose another one',
  });
const timeoutMs = z.int().min(1).max(HOUR_MS);

const named = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string().max(200), value)
    .refine((fields) => Object.keys(fields).length <= MAX_PARAMETERS, {
      error: `expected at most ${MAX_PARAMETERS} parameters`,
    });

/** Each parameter is in one group; one that is in two is refused, so that there is no precedence. */
const parameters = z.strictObject({
  /** Values as they are. */
  static: named(z.unknown()).default({}),
  /** Paths, e.g. `input.query` or `steps.search.data.url`. */
  dynamic: named(z.string()).default({}),
  /** CEL over `input`, `steps` and `caller`. */
  computed: named(z.string()).default({}),
});

const noParameters = { static: {}, dynamic: {}, computed: {} };

const target = {
  tool: toolName,
  /** A range that the version in use has to be in; exactly the one that is there when absent. */
  version: text.exactOptional(),
  parameters: parameters.default(noParameters),
};

const errorHandling = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('stop') }),
  z.strictObject({ strategy: z.literal('continue') }),
  z.strictObject({
    strategy: z.literal('retry'),
    maxRetries: z.int().min(1).max(MAX_RETRIES).default(1),
  }),
  z.strictObject({ strategy: z.literal('fallback'), fallback: z.strictObject(target) }),
]);

const step = z.strictObject({
  id: stepId,
  ...target,
  /** CEL that has to be true; the step is skipped otherwise. */
  condition: text.exactOptional(),
  /** Runs at the same time as the parallel steps beside it. */
  parallel: z.boolean().default(false),
  timeoutMs: timeoutMs.exactOptional(),
  errorHandling: errorHandling.exactOptional(),
});

const aggregation = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('merge') }),
  z.strictObject({ strategy: z.literal('append') }),
  z.strictObject({ strategy: z.literal('override') }),
  z.strictObject({ strategy: z.literal('custom'), cel: text }),
]);

const dependency = z.strictObject({ tool: toolName, range: text.exactOptional() });

const composition = z.strictObject({
  /** `parallel` runs all steps at the same time. */
  flow: z.enum(['sequential', 'parallel']).default('sequential'),
  maxConcurrency: z.int().min(1).max(MAX_PARTS).default(10),
  errorHandling: errorHandling.default({ strategy: 'stop' }),
  steps: z
    .array(step)
    .min(1)
    .max(MAX_PARTS, { error: `expected at most ${MAX_PARTS} steps` }),
});

export const compositionShape = z.strictObject({
  type: z.literal('composed'),
  name: toolName,
  description: text.max(4000),
  version: text.default('1.0.0'),
  title: text.exactOptional(),
  documentation: z.string().exactOptional(),
  tags: z.array(text.max(200)).max(100).default([]),
  author: text.exactOptional(),
  license: text.exactOptional(),
  enabled: z.boolean().default(true),
  timeoutMs: timeoutMs.exactOptional(),
  examples: z
    .array(z.strictObject({ title: text, input: z.unknown(), output: z.unknown().exactOptional() }))
    .max(100)
    .default([]),
  /** JSON Schema of the input. */
  schema: z.looseObject({
    type: z.literal('object', { error: 'expected "object": the input of a tool is an object' }),
  }),
  /** Tools that have to be there besides those of the steps. */
  dependencies: z.array(dependency).max(100).default([]),
  composition,
  aggregation: aggregation.default({ strategy: 'override' }),
});

/** Lists the fields that there are at a path. */
export const compositionFieldsAt = (path: readonly (string | number)[]): readonly string[] => {
  const [root, second, , field] = path;
  if (path.length === 0) return Object.keys(compositionShape.shape);
  if (path.length === 1 && root === 'composition') return Object.keys(composition.shape);
  if (root !== 'composition' || second !== 'steps') return [];
  if (path.length === 3) return Object.keys(step.shape);
  return path.length === 4 && field === 'parameters' ? Object.keys(parameters.shape) : [];
};

/** A composed tool as data, as its author writes it. */
export type CompositionDefinition = z.input<typeof compositionShape>;
export type ParsedComposition = z.output<typeof compositionShape>;
export type ParsedStep = z.output<typeof step>;
export type StepTarget = Pick<ParsedStep, 'tool' | 'version' | 'parameters'>;
export type ErrorHandling = z.output<typeof errorHandling>;
