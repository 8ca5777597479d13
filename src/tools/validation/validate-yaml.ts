/** `validate_yaml`: checks whether a text is YAML, and whether each of its documents fits a schema. */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import { isSmallText } from './small-input.ts';
import { validationReport } from './validation-report.ts';

const input = () =>
  z.strictObject({
    data: z
      .string()
      .max(2_000_000)
      .describe('The YAML text to check; it may hold several documents.'),
    schema: z
      .union([z.record(z.string(), z.unknown()), z.boolean()])
      .optional()
      .describe('A JSON Schema, draft-07 or 2020-12, that each document must fit.'),
  });

type Input = z.infer<ReturnType<typeof input>>;

const WORK = {
  what: 'document',
  file: 'validate-yaml-work',
  from: import.meta.url,
  load: () => import('./validate-yaml-work.ts'),
  isSmall: ({ data, schema }: Input) => isSmallText(data, schema),
};

export const validateYaml = defineTool({
  name: 'validate_yaml',
  description:
    'Checks that a text is YAML 1.2 and, if a JSON Schema is given, that each document fits. Keys that occur twice are errors; tags that nothing resolves are warned of.',
  source: 'builtin',
  category: 'validation',
  tier: 'read_only',
  // Each call may need a process for the caller's data.
  concurrency: { limit: 8, queue: 1000 },
  idempotent: true,
  capabilities: [{ action: 'validate', description: 'Check YAML, also against a schema.' }],
  permissions: ['tool:validate_yaml'],
  aliases: ['yaml:validate'],
  tags: ['yaml', 'schema', 'validate', 'check'],
  examples: [
    {
      title: 'A value of the wrong type',
      input: {
        data: 'name: Ann\nage: seven\n',
        schema: { type: 'object', properties: { age: { type: 'integer' } } },
      },
      output: {
        valid: false,
        errors: [{ path: '/age', message: 'must be integer', line: 2, column: 6 }],
      },
    },
    {
      title: 'A key that occurs twice',
      input: { data: 'a: 1\nb: 2\na: 3\n' },
      output: { valid: false, errors: [{ path: '/a', line: 3, column: 1 }] },
    },
    { title: 'Two documents', input: { data: 'a: 1\n---\nb: 2\n' }, output: { valid: true } },
  ],
  input,
  output: validationReport,
  run: (request, { signal }) => runDataWork(WORK, request, signal),
});
