/** The shapes of definitions: what a YAML file may say, and what a TypeScript module may. */
import { z } from 'zod';
import { CATEGORIES, TIERS } from '../../contract/tool.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { commandPattern } from './command-patterns.ts';

export const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

const MAX_MS = HOUR_MS;

const text = z.string().trim().min(1);
const words = z.array(text.max(200)).max(100);

/** Used as it is by the registry, which compiles it and refuses what it cannot bound. */
const jsonSchema = z.record(z.string(), z.unknown());

const objectSchema = z.looseObject({
  type: z.literal('object', { error: 'expected "object": the input of a tool is an object' }),
  properties: z.record(z.string(), z.unknown()).exactOptional(),
  required: z.array(z.string()).exactOptional(),
});

const command = z.string().refine((pattern) => commandPattern(pattern) !== undefined, {
  error: 'expected a program and its arguments, e.g. "npm test*"',
});

const relativePath = text.refine(
  (path) => !/^[/\\~]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path),
  {
    error: 'expected a path below the workspace, e.g. "src" or "."',
  },
);

const needs = z.strictObject({
  paths: z
    .array(z.strictObject({ path: relativePath, access: z.enum(['read', 'write']) }))
    .exactOptional(),
  hosts: words.exactOptional(),
  commands: z.array(command).exactOptional(),
  secrets: words.exactOptional(),
  model: z.boolean().exactOptional(),
});

const example = z.strictObject({
  title: text,
  input: z.unknown(),
  output: z.unknown().exactOptional(),
});

const shared = {
  name: z.string().regex(TOOL_NAME, {
    error: 'expected 1 to 128 letters, digits, "_", ".", ":" or "-", a letter or digit first',
  }),
  description: text.max(4000),
  version: text.default('1.0.0'),
  documentation: z.string().exactOptional(),
  tags: words.default([]),
  author: text.exactOptional(),
  license: text.exactOptional(),
  timeoutMs: z.int().min(1).max(MAX_MS).default(30_000),
  enabled: z.boolean().default(true),
  examples: z.array(example).max(100).default([]),
  needs: needs.default({}),
  /** The user's when absent. `worker` is for trusted code only, and is not for a file to choose. */
  sandbox: z.enum(['wasm', 'process', 'container', 'vm']).exactOptional(),
  output: jsonSchema.exactOptional(),
  /** A file can make the labels stricter than its reach does, never laxer. */
  labels: z
    .strictObject({
      trust: z
        .literal('untrusted', {
          error: 'expected "untrusted": a file cannot call its results trusted',
        })
        .exactOptional(),
      sensitivity: z
        .enum(['private', 'secret'], {
          error: 'expected "private" or "secret": a file cannot call its results public',
        })
        .exactOptional(),
    })
    .exactOptional(),
  sink: z
    .literal(true, {
      error: 'expected true: whether a tool can carry data out is told by its needs',
    })
    .exactOptional(),
};

export const yamlDefinition = z.strictObject({
  ...shared,
  /** Known from the documents; the real number is counted from the definition. */
  tokenCost: z.number().min(0).exactOptional(),
  schema: objectSchema,
  runtime: z.enum(['typescript', 'node']).default('typescript'),
  code: z.string().refine((code) => code.trim() !== '', { error: 'expected code' }),
  permissions: z
    .strictObject({
      allowlist: z.array(command).exactOptional(),
      autoAccept: z.boolean().exactOptional(),
      riskLevel: z.enum(['low', 'medium', 'high', 'critical']).exactOptional(),
    })
    .default({}),
});

const capability = z.strictObject({
  action: text,
  description: text,
  requiresConfirmation: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
  tier: z.enum(TIERS).exactOptional(),
});

export const moduleDefinition = z.strictObject({
  ...shared,
  category: z.enum(CATEGORIES).default('custom'),
  tier: z.enum(TIERS),
  input: objectSchema,
  capabilities: z.array(capability).max(50).exactOptional(),
  actionField: text.exactOptional(),
  aliases: z.array(z.string().regex(TOOL_NAME)).exactOptional(),
  idempotent: z.boolean().exactOptional(),
});

export type YamlDefinition = z.output<typeof yamlDefinition>;
export type ModuleDefinition = z.output<typeof moduleDefinition>;
export type SharedDefinition = z.output<z.ZodObject<typeof shared>>;
