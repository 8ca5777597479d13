import { afterEach, describe, expect, it } from 'vitest';
import type { CribHost } from '../contract/crib-host.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Logger } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import { createCribHost } from '../crib/create-crib.ts';

const CANARY = 'c4nary-V4lue!77';
const NAMES = ['dbPassword', 'auth_token', 'secretKey', 'pwd', 'X-Api-Key', 'stripeKey', 'myCode'];
const FIELDS = Object.fromEntries(NAMES.map((name) => [name, CANARY]));
const DUMP = `HOME=/root\nFOO_TOKEN=${CANARY}\nexport BAR_SECRET="${CANARY}"\nCookie: sid=${CANARY}`;

let crib: CribHost | undefined;
const seen: Record<string, string[]> = {};

const see = (channel: string, value: unknown): void => {
  seen[channel] ??= [];
  seen[channel].push(JSON.stringify(value));
};

const log = Object.fromEntries(
  (['debug', 'info', 'warn', 'error'] as const).map((level) => [
    level,
    (message: string, fields?: object) => see('log', { message, fields }),
  ]),
) as unknown as Logger;

const leak = defineTool<{ fail?: boolean }, unknown>({
  name: 'leak',
  description: 'Shows what it was given.',
  tier: 'write',
  input: { type: 'object', additionalProperties: true },
  effects: [
    {
      type: 'notification',
      description: 'tells',
      reversible: false,
      event: 'leaked',
      payload: ({ data }) => data,
    },
  ],
  run: (input, context) => {
    context.logger.warn(DUMP, { ...FIELDS, headers: [['X-Api-Key', CANARY]] });
    context.progress(0.5, DUMP);
    context.warn(DUMP);
    if (input.fail) throw new Error(DUMP);
    return { ...input, text: DUMP, rows: [{ name: 'DB_PASSWORD', value: CANARY }], tokens: 46_080 };
  },
});

const run = async (): Promise<void> => {
  for (const key of Object.keys(seen)) delete seen[key];
  crib = await createCribHost({
    builtins: false,
    tools: [leak as Tool],
    store: 'memory',
    approver: () => true,
    runtime: { log },
    config: { filtering: { redactKeys: ['my_code'] }, observation: { logLevel: 'debug' } },
  });
  crib.events.on('call.finished', (event) => see('event', event));
  crib.events.on('effect.notified', (event) => see('effect', event));
  const onProgress = (_: number, note?: string) => see('progress', note);
  const args = ['--db-password', CANARY];
  see('result', await crib.execute('leak', { ...FIELDS, args }, { onProgress }));
  see('error', await crib.execute('leak', { ...FIELDS, args, fail: true }, { onProgress }));
  const { audit } = await crib.store();
  for await (const rows of audit.scan()) see('audit', rows);
};

afterEach(async () => {
  await crib?.close();
  crib = undefined;
});

describe('threat: values under names such as dbPassword reach a channel', () => {
  it('results, errors, logs, progress, events, effects and audit rows show none of them', async () => {
    await run();
    for (const channel of ['result', 'error', 'log', 'progress', 'event', 'effect', 'audit']) {
      const text = (seen[channel] ?? []).join('\n');
      expect(text, channel).toContain('[REDACTED]');
      expect(text, channel).not.toContain(CANARY);
    }
    for (const name of NAMES) expect(seen.audit?.join()).toContain(`"${name}":"[REDACTED]"`);
  });

  it('counts and the names themselves stay', async () => {
    await run();
    expect(seen.result?.join()).toContain('"tokens":46080');
    expect(seen.result?.join()).toContain('HOME=/root');
  });
});
