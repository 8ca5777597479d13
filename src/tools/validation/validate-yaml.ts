/** `validate_yaml`: is a text YAML, and does each of its documents fit a schema? */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/tool.ts';
import { type CallerSchema, checkSchema } from './check-schema.ts';
import { readYaml, type YamlDocument } from './read-yaml.ts';
import {
  type Finding,
  reportOf,
  type ValidationReport,
  validationReport,
} from './validation-report.ts';

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

const schemaFindings = async (
  document: YamlDocument,
  schema: CallerSchema,
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  const errors = await checkSchema({ value: document.toValue(), schema }, signal);
  return errors.map(({ pointer, message }) => ({
    path: pointer,
    message,
    ...document.placeOf(pointer),
  }));
};

const errorsOf = async (
  document: YamlDocument,
  schema: CallerSchema | undefined,
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  if (document.errors.length > 0) return document.errors;
  // Also without a schema: a document that cannot be turned into data is not usable.
  document.toValue();
  return schema === undefined ? [] : schemaFindings(document, schema, signal);
};

const validate = async (
  { data, schema }: Input,
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<ValidationReport> => {
  const documents = await readYaml(data);
  const numbered = (findings: readonly Finding[], index: number) =>
    documents.length > 1 ? findings.map((each) => ({ ...each, document: index + 1 })) : findings;
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  for (const [index, document] of documents.entries()) {
    errors.push(...numbered(await errorsOf(document, schema, signal), index));
    warnings.push(...numbered(document.warnings, index));
  }
  return reportOf(errors, warnings);
};

export const validateYaml = defineTool({
  name: 'validate_yaml',
  description:
    'Checks that a text is YAML 1.2 and, if a JSON Schema is given, that each document fits. Keys that occur twice are errors; tags that nothing resolves are warned of.',
  source: 'builtin',
  category: 'validation',
  tier: 'read_only',
  // Each may start a process for the caller's schema.
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
  run: validate,
});
