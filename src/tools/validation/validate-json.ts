/** `validate_json`: is a text JSON, and does it fit a schema? */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/tool.ts';
import { type JsonFlaw, scanJson } from '../../kit/text/json-scan.ts';
import { boundedRun } from './bounded-run.ts';
import { checkSchema } from './check-schema.ts';
import {
  type Finding,
  positionAt,
  reportOf,
  type ValidationReport,
  validationReport,
} from './validation-report.ts';

const MAX_DEPTH = 500;

const input = () =>
  z.strictObject({
    data: z.string().max(2_000_000).describe('The JSON text to check.'),
    schema: z
      .union([z.record(z.string(), z.unknown()), z.boolean()])
      .optional()
      .describe('A JSON Schema, draft-07 or 2020-12, that the data must fit.'),
  });

type Input = z.infer<ReturnType<typeof input>>;

type Place = Pick<JsonFlaw, 'pointer' | 'message' | 'offset'>;

const findingOf = (data: string, { pointer, message, offset }: Place): Finding => ({
  path: pointer,
  message,
  ...positionAt(data, offset),
});

/** Where each of some values starts. */
const offsetsOf = (data: string, pointers: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const offsets = new Map<string, number>();
  scanJson(data, {
    maxDepth: MAX_DEPTH,
    onValue: (pointer, offset) => {
      if (pointers.has(pointer)) offsets.set(pointer, offset);
    },
  });
  return offsets;
};

const validate = async (
  { data, schema }: Input,
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<ValidationReport> => {
  const { error, warnings } = boundedRun('data', () => scanJson(data, { maxDepth: MAX_DEPTH }));
  const hints = warnings.map((warning) => findingOf(data, warning));
  if (error) return reportOf([findingOf(data, error)], hints);
  if (schema === undefined) return reportOf([], hints);
  const errors = await checkSchema({ value: JSON.parse(data), schema }, signal);
  const offsets = offsetsOf(data, new Set(errors.map(({ pointer }) => pointer)));
  const findings = errors.map(({ pointer, message }) =>
    findingOf(data, { pointer, message, offset: offsets.get(pointer) ?? 0 }),
  );
  return reportOf(findings, hints);
};

export const validateJson = defineTool({
  name: 'validate_json',
  description:
    'Checks that a text is JSON and, if a JSON Schema is given, that it fits. Says where each error is; keys that occur twice are warned of.',
  source: 'builtin',
  category: 'validation',
  tier: 'read_only',
  // Each may start a process for the caller's schema.
  concurrency: { limit: 8, queue: 1000 },
  idempotent: true,
  capabilities: [{ action: 'validate', description: 'Check JSON, also against a schema.' }],
  permissions: ['tool:validate_json'],
  aliases: ['json:validate'],
  tags: ['json', 'schema', 'validate', 'check'],
  examples: [
    {
      title: 'A value of the wrong type',
      input: {
        data: '{\n  "name": "Ann",\n  "age": "7"\n}',
        schema: { type: 'object', properties: { age: { type: 'integer' } } },
      },
      output: {
        valid: false,
        errors: [{ path: '/age', message: 'must be integer', line: 3, column: 10 }],
      },
    },
    {
      title: 'A comma too many',
      input: { data: '[1, 2,]' },
      output: { valid: false, errors: [{ line: 1, column: 7 }] },
    },
    {
      title: 'Valid JSON',
      input: { data: '{"a": [1, null]}' },
      output: { valid: true, errors: [] },
    },
  ],
  input,
  output: validationReport,
  run: validate,
});
