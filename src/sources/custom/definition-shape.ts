/** The shapes of definitions in YAML files and TypeScript modules, and the check against them. */
import { validRange } from 'semver';
import { z } from 'zod';
import { CATEGORIES, TIERS } from '../../contract/tool.ts';
import { TOOL_NAME } from '../../contract/tool-name.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { BadToolFile, type Position } from './file-problem.ts';

const MAX_MS = HOUR_MS;

const text = z.string().trim().min(1);
const words = z.array(text.max(200)).max(100);

/** Unchecked here: the registry compiles it and refuses what it cannot bound. */
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

const size = z
  .string()
  .regex(/^\d+(?:\.\d+)?\s*(?:B|KB|MB|GB|KiB|MiB|GiB)$/i, { error: 'expected a size, as in 50MB' })
  .exactOptional();
const share = z
  .string()
  .regex(/^\d+(?:\.\d+)?%$/, { error: 'expected a share of cores, as in 50%' })
  .exactOptional();

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
  /** Tools that this one calls; it cannot be called while one of them is missing. */
  dependencies: z
    .array(
      z.strictObject({
        tool: z.string().regex(TOOL_NAME),
        range: z
          .string()
          .max(200)
          .refine((range) => validRange(range) !== null, {
            error: 'expected a range of versions, e.g. "^1.2.0"',
          })
          .exactOptional(),
      }),
    )
    .max(50)
    .exactOptional(),
  /** The configured one when absent. A file cannot choose `worker`, which is for trusted code only. */
  sandbox: z.enum(['wasm', 'process', 'container', 'vm']).exactOptional(),
  output: jsonSchema.exactOptional(),
  /** What one call uses while it runs; flows and chains run at once what the machine has room for. */
  resourceRequirements: z.strictObject({ memory: size, disk: size, cpu: share }).exactOptional(),
  /** A file can make its labels stricter than its needs imply, never laxer. */
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
  /** Accepted and ignored: the number is counted from the definition. */
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

const PLAIN = /^[\x21-\x7e]+$/;

/**
 * Converts an entry of the allowlist to a pattern of words: `yarn test*` becomes the program `yarn`, a word
 * that begins with `test`, and any arguments. Returns `undefined` for an entry without a program, which
 * would allow every program.
 */
export const commandPattern = (text: string): string | undefined => {
  const words = text.split(' ').filter((word) => word !== '');
  const [program = '', ...rest] = words;
  // The program has no wildcard: `vitest*` must not allow a program called vitest-evil.
  const programName = rest.length === 0 ? program.replace(/\*+$/, '') : program;
  if (programName === '' || programName.includes('*') || !words.every((word) => PLAIN.test(word))) {
    return undefined;
  }
  const last = words.at(-1) ?? '';
  const open = last.endsWith('*') && last !== '*' && last !== '**';
  return [programName, ...rest, ...(open ? ['**'] : [])].join(' ');
};

interface Checked {
  readonly file: string;
  readonly value: unknown;
  positionOf(path: readonly PropertyKey[]): Position;
}

type ZodIssue = z.core.$ZodIssue;

/** Makes one fault for each unknown key, at the key itself. */
const split = (issue: ZodIssue): readonly { path: readonly PropertyKey[]; message: string }[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not known here' }))
    : [issue];

const shorten = (message: string): string =>
  message.endsWith(', received undefined')
    ? 'is required'
    : message.replace(/^Invalid input: /, '');

/** Checks a definition against its shape. Throws `BadToolFile` with the position of every fault. */
export const checkDefinition = <S extends z.ZodType>(
  shape: S,
  { file, value, positionOf }: Checked,
): z.output<S> => {
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.flatMap(split);
  throw new BadToolFile(
    faults.map(({ path, message }) => ({
      file,
      ...positionOf(path),
      message: path.length === 0 ? shorten(message) : `${path.join('.')}: ${shorten(message)}`,
    })),
  );
};
