import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallAs } from '../../src/contract/call-options.ts';
import type { CribHost } from '../../src/contract/crib-host.ts';
import type { EventName } from '../../src/contract/events.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { Logger } from '../../src/contract/runtime.ts';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { Redactor } from '../../src/governance/redaction/redaction.ts';
import { benignCorpus } from './a3-benign.ts';
import { canaries, createCanarySearch, writtenForms } from './a3-canaries.ts';
import { leakingTools } from './a3-leaking-tools.ts';
import { isFull, sized, TIME_LIMIT } from './size.ts';

const SECRETS = canaries(sized(60, 1000));
const KEYS = SECRETS.map((_, at) => `CANARY_${at}`);
const TOLD_BY = ['leak_rule', 'leak_chance'];
const TOOLS = [
  'leak_result',
  'leak_large',
  'leak_error',
  'leak_failure',
  'leak_handled',
  'leak_rule',
  'leak_chance',
];
const EVENTS: readonly EventName[] = [
  'call.started',
  'call.progressed',
  'call.finished',
  'effect.notified',
  'file.changed',
];

const search = createCanarySearch(SECRETS);

let root: string;
let crib: CribHost;
/** All that came out, by channel. */
const outputs = new Map<string, string[]>();
const codes = new Map<string, number>();

const see = (channel: string, value: unknown): void => {
  const list = outputs.get(channel) ?? [];
  outputs.set(channel, list);
  list.push(typeof value === 'string' ? value : JSON.stringify(value));
};

const log = Object.fromEntries(
  (['debug', 'info', 'warn', 'error'] as const).map((level) => [
    level,
    (message: string, fields?: object) => see(`log ${level}`, { message, fields }),
  ]),
) as unknown as Logger;

const openCrib = async (): Promise<CribHost> => {
  const store = { sqlite: join(root, 'state.db') };
  const config = {
    secrets: { sources: ['file' as const] },
    filtering: { maxResultBytes: 12_000 },
    observation: { logLevel: 'debug' as const },
  };
  const tools = leakingTools(KEYS);
  return createCribHost({
    root,
    home: root,
    store,
    config,
    tools,
    runtime: { log },
    builtins: false,
  });
};

const seeResult = async (tool: string, result: ToolResult): Promise<void> => {
  const code = `${tool} ${result.error?.code ?? result.status}`;
  codes.set(code, (codes.get(code) ?? 0) + 1);
  see(`result of ${tool}`, result);
  const handle = (result.data as { handle?: string } | undefined)?.handle;
  if (handle === undefined) return;
  const page = await crib.results.read(handle, { offset: 0, limit: 1_000_000 });
  expect(page?.total).toBeGreaterThan(2000);
  see('stored result', page?.text);
};

/** With the secret in the input too, and twice, so that caches and replays answer as well. */
const leakThrough = async (tool: string, at: number): Promise<void> => {
  const secret = SECRETS[at] as string;
  const text = writtenForms(secret).join(' | ');
  const told = { text, [secret]: { nested: [secret, Number(secret) || 0] } };
  const input = { key: KEYS[at], told: TOLD_BY.includes(tool) ? text : told, [text]: secret };
  const as: CallAs = {
    onProgress: (_fraction, note) => see('progress callback', note ?? ''),
    ...(tool !== 'leak_large' && { idempotencyKey: `once-${tool}-${at}` }),
  };
  await seeResult(tool, await crib.execute(tool, input, as));
  await seeResult(tool, await crib.execute(tool, input, as));
  if (at % 10 === 0) await seeResult(tool, await crib.execute(tool, input, { dryRun: true }));
};

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-a3-')));
  const vault = Object.fromEntries(SECRETS.map((secret, at) => [KEYS[at], secret]));
  writeFileSync(join(root, 'secrets.json'), JSON.stringify(vault), { mode: 0o600 });
  for (const [at, secret] of SECRETS.entries()) {
    writeFileSync(join(root, `${KEYS[at]}.txt`), writtenForms(secret).join('\u0000'));
  }
  crib = await openCrib();
  for (const name of EVENTS) crib.events.on(name, (payload) => see(`event ${name}`, payload));
  for (let at = 0; at < SECRETS.length; at++) {
    for (const tool of TOOLS) await leakThrough(tool, at);
    await crib.execute(`no_such_${SECRETS[at]}`, {}, { userId: 'someone' });
  }
  const { audit } = await crib.store();
  for await (const rows of audit.scan()) see('audit', rows);
}, TIME_LIMIT);

afterAll(async () => {
  await crib?.close();
  await rm(root, { recursive: true, force: true });
});

const hitsIn = (channel: string): readonly string[] => {
  const text = (outputs.get(channel) ?? []).join('\n');
  expect(text.length).toBeGreaterThan(SECRETS.length);
  return search(text);
};

describe(`A3: ${SECRETS.length} canary secrets through every channel`, () => {
  it('control: the search finds every form of every canary in what was let out', () => {
    expect(new Set(SECRETS).size).toBe(SECRETS.length);
    for (const secret of SECRETS) {
      for (const form of writtenForms(secret)) expect(search(`.${form}.`)).not.toEqual([]);
    }
  });

  it('control: the tools really ran, failed and were refused as they should', () => {
    const counted = (code: string): number => codes.get(code) ?? 0;
    expect(counted('leak_result success')).toBeGreaterThanOrEqual(SECRETS.length * 2);
    expect(counted('leak_large success')).toBeGreaterThanOrEqual(SECRETS.length * 2);
    expect(counted('leak_chance success')).toBeGreaterThanOrEqual(SECRETS.length * 2);
    expect(counted('leak_error EXECUTION_FAILED')).toBe(SECRETS.length * 2);
    expect(counted('leak_failure CONFLICT')).toBe(SECRETS.length * 2);
    expect(counted('leak_handled MAX_RETRIES_EXCEEDED')).toBe(SECRETS.length * 2);
    expect(counted('leak_rule VALIDATION_ERROR')).toBeGreaterThanOrEqual(SECRETS.length * 2);
  });

  it.each([
    ...TOOLS.map((tool) => `result of ${tool}`),
    'stored result',
    'progress callback',
    'log debug',
    'log info',
    'log warn',
    'log error',
    'event call.progressed',
    'event call.finished',
    'event effect.notified',
    'audit',
  ])('%s: no raw hit', (channel) => {
    expect(hitsIn(channel)).toEqual([]);
  });

  it('the database and its log on disk: no raw hit', async () => {
    const files = readdirSync(root).filter((name) => name.startsWith('state.db'));
    const before = files.flatMap((name) => search(readFileSync(join(root, name))));
    await crib.close();
    const after = search(readFileSync(join(root, 'state.db')));
    expect(files).toContain('state.db-wal');
    expect([...before, ...after]).toEqual([]);
  });

  it('benign: at most 1 % of ordinary texts are altered', () => {
    const redactor = new Redactor();
    for (const secret of SECRETS) redactor.learn(secret);
    const texts = Object.values(benignCorpus()).flat();
    const altered = texts.filter((text) => redactor.text(text) !== text);
    if (isFull) console.info(`A3: ${altered.length} of ${texts.length} ordinary texts altered`);
    expect(texts.length).toBeGreaterThan(3000);
    expect(altered.length / texts.length).toBeLessThanOrEqual(0.01);
  });
});
