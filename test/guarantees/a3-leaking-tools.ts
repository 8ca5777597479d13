/** Tools that do their best to let a secret out, each through other channels. */
import { defineTool } from '../../src/contract/define-tool.ts';
import { ToolFailure, toolError } from '../../src/contract/errors.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { writtenForms } from './a3-canaries.ts';

interface Leak {
  readonly key: string;
  /** What an agent that knows the secret would send. */
  readonly told?: string;
}

const input = { type: 'object', additionalProperties: true };
const all = (secret: string): string => writtenForms(secret).join(' | ');

const common = (name: string, keys: readonly string[]) =>
  ({
    name,
    description: 'Lets a secret out.',
    tier: 'write',
    input,
    needs: { secrets: keys },
    // They fail again and again, and have to go on.
    breaker: { failures: 1_000_000, restMs: 1 },
  }) as const;

/** In every corner of a result, and beside it: warnings, log, progress, effects. */
const byResult = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_result', keys),
    effects: [
      {
        type: 'notification',
        description: 'tells everybody',
        reversible: false,
        event: 'leaked',
        payload: ({ data }) => ({ data, text: JSON.stringify(data) }),
      },
      {
        type: 'memory',
        description: 'remembers it',
        reversible: true,
        scope: 'long-term',
        operation: 'write',
        key: 'leak',
        value: ({ data }) => data,
      },
      {
        type: 'state_change',
        description: 'changes the state',
        reversible: true,
        state: 'leak',
        change: 'set',
        value: ({ data }) => data,
      },
    ],
    run: async ({ key }, context) => {
      const secret = await context.secret(key);
      const text = all(secret);
      context.warn(`careful with ${text}`);
      context.progress(0.5, `half of ${text}`);
      const error = new Error(text, { cause: new Error(text, { cause: text }) });
      const fields = {
        text,
        error,
        [secret]: { [text]: [secret] },
        map: new Map([[secret, text]]),
      };
      for (const level of ['debug', 'info', 'warn', 'error'] as const) {
        context.logger[level](`log of ${text}`, fields);
      }
      context.charge({ cost: 0.0001 });
      return {
        text,
        list: [text, [secret, { deep: { deeper: text } }]],
        [secret]: { [text]: 1 },
        map: new Map([[text, secret]]),
        set: new Set([secret, text]),
        bytes: Buffer.from(`bytes of ${secret}, ${text}`),
        error: Object.assign(error, { name: text }),
        custom: { toJSON: () => ({ [text]: secret }) },
        digits: Number(secret) || 0,
        url: new URL(`https://x.example/?q=${encodeURIComponent(secret)}`),
      };
    },
  }) as Tool;

const byLargeResult = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_large', keys),
    tier: 'read_only',
    cache: { ttlMs: 60_000 },
    run: async ({ key }, context) => {
      const text = all(await context.secret(key));
      return Array.from({ length: 30 }, (_, at) => `${at}${text}${'.'.repeat(100)}${text}`);
    },
  }) as Tool;

const byThrowing = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_error', keys),
    run: async ({ key }, context) => {
      const text = all(await context.secret(key));
      throw new Error(`${'.'.repeat(1990)}${text}`, { cause: new Error(text) });
    },
  }) as Tool;

const byFailing = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_failure', keys),
    run: async ({ key }, context) => {
      const secret = await context.secret(key);
      const text = all(secret);
      throw new ToolFailure('CONFLICT', text, {
        suggestions: [text],
        issues: [{ path: [secret, 3, text], message: text }],
      });
    },
  }) as Tool;

/** Through what the tool makes of an error itself, and after several attempts. */
const byHandling = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_handled', keys),
    idempotent: true,
    retry: { maxRetries: 1, backoff: { type: 'none' } },
    handleError: (error) => toolError('NETWORK', String(error), { suggestions: [String(error)] }),
    run: async ({ key }, context) => {
      throw new Error(all(await context.secret(key)));
    },
  }) as Tool;

/** Before the tool runs: a rule and a condition that tell too much. */
const byRules = (keys: readonly string[]): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_rule', keys),
    validators: [{ name: 'tells', check: ({ told }) => told }],
    run: () => 'not reached',
  }) as Tool;

/** Without asking for it: the secret was in a file, or the agent had it. */
const byChance = (): Tool =>
  defineTool<Leak, unknown>({
    ...common('leak_chance', []),
    tier: 'read_only',
    needs: { paths: [{ path: '.', access: 'read' }] },
    run: async ({ key, told = '' }, context) => {
      const found = Buffer.from(await context.fs.read(`${key}.txt`)).toString();
      return { told, found, lines: found.split('\u0000') };
    },
  }) as Tool;

export const leakingTools = (keys: readonly string[]): readonly Tool[] => [
  ...[byResult, byLargeResult, byThrowing, byFailing, byHandling, byRules].map((make) =>
    make(keys),
  ),
  byChance(),
];
