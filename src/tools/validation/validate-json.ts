/** `validate_json`: checks whether a text is JSON, and whether it fits a schema. */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import { isSmallText } from './small-input.ts';
import { validationReport } from './validation-report.ts';

const input = () =>
  z.strictObject({
    data: z.string().max(2_000_000).describe('The JSON text to check.'),
    schema: z
      .union([z.record(z.string(), z.unknown()), z.boolean()])
      .optional()
      .describe('A JSON Schema, draft-07 or 2020-12, that the data must fit.'),
  });

type Input = z.infer<ReturnType<typeof input>>;

const WORK = {
  what: 'data',
  file: 'validate-json-work',
  from: import.meta.url,
  load: () => import('./validate-json-work.ts'),
  isSmall: ({ data, schema }: Input) => isSmallText(data, schema),
};

export const validateJson = defineTool({
  name: 'validate_json',
  description:
    'Checks that a text is JSON and, if a JSON Schema is given, that it fits. Says where each error is; keys that occur twice are warned of.',
  source: 'builtin',
  category: 'validation',
  tier: 'read_only',
  // Each call may need a process for the caller's data.
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
  run: (request, { signal }) => runDataWork(WORK, request, signal),
});
