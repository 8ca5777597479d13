/** The schema of flows as data, for YAML files and for objects. The published JSON Schema is derived from it. */
import { z } from 'zod';
import { FLOW_JOINS, FLOW_KINDS, type FlowDataStep } from '../../contract/flow-data.ts';
import { TIERS } from '../../contract/tool.ts';
import { TOOL_NAME } from '../../contract/tool-name.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';

export const MAX_STEPS = 5_000;
/** Groups inside groups. */
export const MAX_GROUP_DEPTH = 8;
export const MAX_FLOW_ITEMS = 100_000;
/** More than this from one flow is noise. */
export const MAX_FLOW_FAULTS = 100;
const MAX_MS = 366 * DAY_MS;
const MAX_AFTER = 1_000;

/** Expressions look at this member of every object, so that no step can be told from it. */
const NO_STEP_NAME = 'a step cannot have this name; choose another one';

/** The name of a step: one that can follow a dot in an expression. */
export const STEP_ID = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?$/;
const SUB_FLOW = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}@\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?$/;
const SIZE = /^\d+(?:\.\d+)?\s*(?:B|KB|MB|GB|KiB|MiB|GiB)$/i;
const SHARE = /^\d+(?:\.\d+)?%$/;

const text = z.string().min(1).max(4_000);
const cel = z.string().min(1).max(4_000).describe('CEL over input, steps, caller and item.');
const ms = z.number().int().min(0).max(MAX_MS);
const time = z.number().int().min(1).max(MAX_MS);
const count = z.number().int().min(1).max(10_000);
const id = z
  .string()
  .regex(STEP_ID, { error: 'expected a letter, then at most 63 letters, digits or "_"' })
  .refine((name) => !isPrototypeKey(name), { error: NO_STEP_NAME });
const value = z
  .unknown()
  .describe('A literal, { from: path }, { cel: expression } or { value: literal }, at any depth.');

const join = z.union([z.enum(FLOW_JOINS), z.strictObject({ custom: cel })], {
  error: `expected ${FLOW_JOINS.join(', ')} or { custom: CEL }`,
});

/** YAML reads 1.0 as a number, so both faults need the same advice. */
const NO_VERSION = 'expected a version of three numbers, as in 1.0.0';
const version = z
  .string({ error: ({ input }) => (input === undefined ? undefined : NO_VERSION) })
  .regex(VERSION, { error: NO_VERSION });

const toolCall = z.strictObject({
  call: text.describe('The name of a tool.'),
  version: version.exactOptional(),
  input: value.exactOptional(),
});

const forEach = z.strictObject({
  items: value.describe('A value that gives a list.'),
  maxConcurrency: count.exactOptional(),
  maxItems: z.number().int().min(1).max(MAX_FLOW_ITEMS).exactOptional(),
  onFailure: z.enum(['stop', 'continue']).exactOptional(),
  collect: z.boolean().exactOptional(),
});

const retry = z.strictObject({
  attempts: z.number().int().min(1).max(100),
  delayMs: ms.exactOptional(),
  backoff: z.number().min(1).max(10).exactOptional(),
});

const lastResort = z.enum(['fail', 'skip', 'abort', 'manual']);

const onError = z.union(
  [lastResort, z.strictObject({ fallback: toolCall, otherwise: lastResort.exactOptional() })],
  { error: 'expected fail, skip, abort, manual or { fallback: { call: … } }' },
);

const orElse = z.union([z.enum(['skip', 'fail']), toolCall], {
  error: 'expected skip, fail or { call: … }',
});

const step = z.strictObject({
  id,
  title: text.exactOptional(),
  call: text.describe('Calls a tool.').exactOptional(),
  version: version.describe('Of the tool; the active one when absent.').exactOptional(),
  input: value.exactOptional(),
  flow: z
    .string()
    .regex(SUB_FLOW, { error: 'expected a flow and its version, as in report@1.0.0' })
    .exactOptional(),
  approve: text.describe('A question to a person.').exactOptional(),
  details: value.exactOptional(),
  sleepMs: ms.exactOptional(),
  waitFor: text.describe('The name of an event.').exactOptional(),
  get steps() {
    return z.array(step).min(1).max(MAX_STEPS).exactOptional();
  },
  kind: z.enum(FLOW_KINDS).exactOptional(),
  after: z.array(id).max(MAX_AFTER).exactOptional(),
  join: join.exactOptional(),
  when: cel.exactOptional(),
  else: orElse.exactOptional(),
  forEach: forEach.exactOptional(),
  timeoutMs: time.exactOptional(),
  retry: retry.exactOptional(),
  onError: onError.exactOptional(),
  output: value.exactOptional(),
});

const size = z.string().regex(SIZE, { error: 'expected a size, as in 512MB' }).exactOptional();

const limits = z.strictObject({
  maxConcurrency: count.exactOptional(),
  timeoutMs: time.exactOptional(),
  maxUsd: z.number().min(0).exactOptional(),
  memory: size,
  disk: size,
  cpu: z.string().regex(SHARE, { error: 'expected a share of cores, as in 150%' }).exactOptional(),
  tiers: z.array(z.enum(TIERS)).max(TIERS.length).exactOptional(),
  tools: z.array(text).max(1_000).exactOptional(),
});

export const flowSchema = z
  .strictObject({
    $schema: z.string().exactOptional(),
    name: z.string().regex(TOOL_NAME, {
      error: 'expected 1 to 128 letters, digits, "_", ".", ":" or "-"',
    }),
    version,
    description: text.exactOptional(),
    kind: z.enum(FLOW_KINDS).exactOptional(),
    input: z.record(z.string(), z.unknown()).describe('JSON Schema of the input.').exactOptional(),
    steps: z.array(step).min(1).max(MAX_STEPS),
    join: join.exactOptional(),
    onFailure: z.enum(['stop', 'continue']).exactOptional(),
    undoOnFailure: z.boolean().exactOptional(),
    limits: limits.exactOptional(),
    output: value.exactOptional(),
  })
  .describe('A flow of Toolcrib as data.');

/** The fields that an object at a path may have, for "did you mean"; none where nobody can tell. */
export const flowFieldsAt = (path: readonly (string | number)[]): readonly string[] => {
  const name = path.findLast((part) => typeof part === 'string');
  if (path.length === 0) return Object.keys(flowSchema.shape);
  if (name === 'steps') return Object.keys(step.shape);
  if (name === 'limits') return Object.keys(limits.shape);
  if (name === 'forEach') return Object.keys(forEach.shape);
  return name === 'retry' ? Object.keys(retry.shape) : [];
};

/** The members of a step that say what it does; a step has exactly one. */
export const STEP_ACTIONS = ['call', 'flow', 'approve', 'sleepMs', 'waitFor', 'steps'] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

/** Returns the actions that a step names; good steps have one. */
export const actionsOf = (step: FlowDataStep): readonly StepAction[] =>
  STEP_ACTIONS.filter((action) => step[action] !== undefined);

/** An action for each alternative: a step has exactly one. */
const oneAction = STEP_ACTIONS.map((action) => ({ required: [action] }));

/** Gives the JSON Schema that editors check flow files with, published as `docs/flow.schema.json`. */
export const flowJsonSchema = (): Record<string, unknown> => {
  const { $schema, ...root } = z.toJSONSchema(flowSchema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (step as unknown)) Object.assign(jsonSchema, { oneOf: oneAction });
    },
  });
  return { $schema, $id: 'urn:toolcrib:flow', title: 'Flow of Toolcrib', ...root };
};
