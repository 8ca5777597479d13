/** The settings of `sources.n8n`. */
import { z } from 'zod';
import { address, milliseconds, nonEmptyText, positiveCount, toolName, usd } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';
import { EXTERNAL_FIELDS } from './external-fields.ts';
import { tier } from './source-fields.ts';

/** Segments of a path that stay where they are: nothing that a server would resolve or decode. */
const WEBHOOK_PATH =
  /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;

const SECRET_KEY = /^[A-Za-z0-9_.-]{1,200}$/;

const secretKey = z
  .string()
  .regex(SECRET_KEY, 'expected the key of a secret, not the secret itself');

const keyword = described(z.unknown(), { about: 'One keyword of the schema.', project: 'add' });

const jsonSchema = z.record(z.string(), keyword).refine((schema) => schema.type === 'object', {
  error: 'expected a JSON Schema of the type object',
});

const anySchema = z.record(z.string(), keyword);

/** Codes of the error table for which a request may be sent again. */
const retryableError = z.enum([
  'TIMEOUT',
  'NETWORK',
  'SERVER_ERROR',
  'RATE_LIMITED',
  'LOCK',
  'NOT_FOUND',
]);

const retry = z.strictObject({
  maxAttempts: optionalSetting(z.int().min(1).max(20), {
    about: 'Attempts in all; 3 when absent.',
    project: 'add',
  }),
  initialDelayMs: optionalSetting(milliseconds, {
    about: 'The pause before the second attempt; 1,000 when absent.',
    project: 'add',
  }),
  backoffMultiplier: optionalSetting(z.number().min(1).max(100), {
    about: 'Each pause is so many times as long as the one before; 2 when absent.',
    project: 'add',
  }),
  maxDelayMs: optionalSetting(milliseconds, {
    about: 'The longest pause; 30,000 when absent.',
    project: 'add',
  }),
  retryableErrors: optionalSetting(z.array(retryableError), {
    about:
      'The errors after which a request is sent again; TIMEOUT, NETWORK, SERVER_ERROR, RATE_LIMITED when absent.',
    project: 'add',
  }),
});

const workflow = z.strictObject({
  workflowId: optionalSetting(nonEmptyText.max(200), {
    about: 'The id of the workflow in n8n; the path when absent.',
    project: 'add',
  }),
  webhookPath: described(
    z
      .string()
      .max(500)
      .regex(WEBHOOK_PATH, 'expected the path of a Webhook node, without a slash in front'),
    { about: 'The path of its Webhook node.', project: 'add' },
  ),
  description: optionalSetting(nonEmptyText.max(20_000), {
    about: 'What a model reads about the tool.',
    project: 'add',
  }),
  input: optionalSetting(jsonSchema, {
    about: 'The JSON Schema of its input, of the type object; any object when absent.',
    project: 'add',
  }),
  output: optionalSetting(anySchema, {
    about: 'The JSON Schema of what the workflow answers.',
    project: 'add',
  }),
  timeoutMs: optionalSetting(milliseconds, {
    about: 'Milliseconds a call may take, all attempts together.',
    project: 'add',
  }),
  tier: optionalSetting(tier, {
    about: 'How risky the tool is; external_api when absent.',
    project: 'user',
  }),
  mode: optionalSetting(z.enum(['sync', 'async']), {
    about:
      'sync waits for the answer; async starts the workflow, which calls back. sync when absent.',
    project: 'add',
  }),
  costUsd: optionalSetting(usd, {
    about: 'US dollars a call costs; free when absent.',
    project: 'add',
  }),
  permissions: optionalSetting(z.array(nonEmptyText).max(50), {
    about: 'Permissions that a caller needs; tool:<name> when absent.',
    project: 'add',
  }),
  asksFirst: optionalSetting(z.boolean(), {
    about: 'true asks a person before every call, also of a tool that only reads.',
    project: 'on',
  }),
});

export const n8nSource = z.strictObject({
  baseUrl: described(address(['http', 'https']), {
    about: 'The address of n8n.',
    project: 'add',
  }),
  apiKey: optionalSetting(secretKey, {
    about: 'The key of the secret that holds a key of the API of n8n; for discovery.',
    project: 'add',
  }),
  webhookSecret: optionalSetting(secretKey, {
    about:
      'The key of the secret that is sent as X-Webhook-Secret and that callbacks are signed with; at least 16 characters.',
    project: 'add',
  }),
  workflows: optionalSetting(z.record(toolName, workflow.describe('One workflow.')), {
    about: 'Workflows by the name of their tool.',
  }),
  discover: optionalSetting(z.boolean(), {
    about: 'true makes a tool of every active workflow that starts with a Webhook node.',
    project: 'add',
  }),
  shipped: optionalSetting(z.boolean(), {
    about: 'true adds send_email, create_calendar_event and send_notification.',
    project: 'add',
  }),
  testWebhooks: optionalSetting(z.boolean(), {
    about: 'true calls the test addresses of the webhooks, while you build a workflow.',
    project: 'add',
  }),
  callbackUrl: optionalSetting(address(['http', 'https']), {
    about: 'Where n8n reaches the server of Toolcrib; workflows are told their callback address.',
    project: 'add',
  }),
  maxWorkflows: optionalSetting(positiveCount, {
    about: 'Discovered workflows beyond this number are left out; 500 when absent.',
    project: 'add',
  }),
  retry: optionalSetting(retry, {
    about:
      'Sends a failed request again. The workflows have to take a second request with the same X-Idempotency-Key for the first.',
  }),
  ...EXTERNAL_FIELDS,
});

export const N8N_ABOUT = 'n8n: each workflow with a webhook is a tool.';
