/** `json_parser`: structured data from text that is JSON, contains JSON, is nearly JSON, or is prose. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import type { ParsedText, ParseJob } from './json-parser-work.ts';
import type { SchemaError, SchemaJob } from './schema-work.ts';
import { isSmallSchema, isSmallText } from './small-input.ts';

const input = () =>
  z.strictObject({
    text: z.string().min(1).max(1_000_000).describe('The text that is or holds JSON.'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'A JSON Schema. The data is checked against it, and a model may fill it from prose.',
      ),
  });

const output = () =>
  z.strictObject({
    data: z.json().describe('The data found.'),
    method: z
      .enum(['direct_parse', 'extracted', 'repaired', 'model_extraction'])
      .describe('How it was found: as it stands, inside other text, after mending, or by a model.'),
    warnings: z.array(z.string()).describe('What a reader of the data would not see any more.'),
    valid: z.boolean().optional().describe('Whether it fits the schema, if one was given.'),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const WORK = {
  what: 'data',
  file: 'json-parser-work',
  from: import.meta.url,
  load: () => import('./json-parser-work.ts'),
  isSmall: ({ text, schema }: ParseJob) => isSmallText(text, schema),
};

const readText = (job: ParseJob, signal: AbortSignal): Promise<ParsedText | undefined> =>
  runDataWork<ParseJob, ParsedText | undefined>(WORK, job, signal);

const SCHEMA_WORK = {
  what: 'schema',
  file: 'schema-work',
  from: import.meta.url,
  load: () => import('./schema-work.ts'),
  isSmall: ({ schema }: SchemaJob) => isSmallSchema(schema),
};

/** Lists the errors of a value; empty when it fits. Throws for an invalid schema. */
const checkSchema = (job: SchemaJob, signal: AbortSignal): Promise<readonly SchemaError[]> =>
  runDataWork(SCHEMA_WORK, job, signal);

const checked = (errors: readonly SchemaError[]): Pick<Output, 'valid' | 'errors'> => ({
  valid: errors.length === 0,
  errors: errors.map(({ pointer, message }) => ({ path: pointer, message })),
});

const outcomeOf = ({ data, method, warnings, errors }: ParsedText): Output => ({
  data: data as Output['data'],
  method,
  warnings: [...warnings],
  ...(errors && checked(errors)),
});

/** Reserved before the model is asked. */
const MAX_ANSWER_TOKENS = 8_192;

const byModel = async (
  { text, schema = {} }: Input,
  { model, signal, charge }: ToolContext,
): Promise<Output> => {
  const reply = await model.generate({
    system: 'Extract the data that the schema describes from the text. Invent nothing.',
    prompt: text,
    schema,
    maxTokens: MAX_ANSWER_TOKENS,
    temperature: 0,
    signal,
  });
  const tokens = reply.inputTokens + reply.outputTokens;
  charge({ tokens, ...(reply.costUsd !== undefined && { cost: reply.costUsd }) });
  const value = reply.object ?? (await readText({ text: reply.text }, signal))?.data;
  if (value === undefined) {
    throw new ToolFailure('OUTPUT_INVALID', 'The model did not answer with JSON.');
  }
  const data = value as Output['data'];
  const errors = await checkSchema({ value, schema }, signal);
  return { data, method: 'model_extraction', warnings: [], ...checked(errors) };
};

const nothingFound = (schema: unknown): ToolFailure =>
  schema === undefined
    ? new ToolFailure('VALIDATION_ERROR', 'There is no JSON in the text.', {
        issues: [{ path: ['text'], message: 'holds no JSON object or array' }],
        suggestions: ['Give a schema and configure a model to extract data from prose.'],
      })
    : new ToolFailure('MODEL_NOT_CONFIGURED', 'There is no JSON in the text; a model is needed.', {
        suggestions: [
          'Add a `model` section to .toolcrib/config.yml: provider, model and apiKeyRef.',
        ],
      });

const run = async (request: Input, context: ToolContext): Promise<Output> => {
  const { schema } = request;
  const mayAskModel = schema !== undefined && context.model.configured;
  const parsed = await readText(request, context.signal);
  if (parsed) {
    const result = outcomeOf(parsed);
    if (result.valid !== false || !mayAskModel) return result;
  } else if (!mayAskModel) throw nothingFound(schema);
  return byModel(request, context);
};

export const jsonParser = defineTool({
  name: 'json_parser',
  version: '1.0.0',
  description:
    'Extract structured data from text: JSON as it stands, JSON inside prose or code fences, broken JSON that can be mended, and, with a schema and a model, plain prose.',
  source: 'builtin',
  category: 'validation',
  tier: 'read_only',
  // Each call may need a process for the caller's data.
  concurrency: { limit: 8, queue: 1000 },
  tags: ['json', 'parse', 'extract', 'repair'],
  author: 'Toolcrib',
  license: 'MIT',
  aliases: ['json:parse'],
  permissions: ['tool:json_parser'],
  capabilities: [{ action: 'parse', description: 'Get data out of text.' }],
  examples: [
    {
      title: 'JSON inside an answer',
      input: { text: 'Sure! Here it is:\n```json\n{"city": "Oslo", "ok": true}\n```' },
      output: { data: { city: 'Oslo', ok: true }, method: 'extracted' },
    },
    {
      title: 'Broken JSON',
      input: { text: "{name: 'Ada', born: 1815,}" },
      output: { data: { name: 'Ada', born: 1815 }, method: 'repaired' },
    },
    {
      title: 'Checked against a schema',
      input: { text: '{"age": "7"}', schema: { properties: { age: { type: 'integer' } } } },
      output: { valid: false, errors: [{ path: '/age', message: 'must be integer' }] },
    },
  ],
  input,
  output,
  run,
});
