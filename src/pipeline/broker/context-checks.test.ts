/** Options that a running tool misspells or gives a wrong type: each is refused, and nothing happens. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Model } from '../../contract/model.ts';
import { sandboxHost } from './sandbox-host.ts';

const root = await mkdtemp(join(tmpdir(), 'toolcrib-context-checks-'));
beforeEach(() => writeFile(join(root, 'a.txt'), 'before'));
afterAll(() => rm(root, { recursive: true, force: true }));

let requests = 0;
const reply = { text: 'yes', model: 'm', inputTokens: 1, outputTokens: 1 };
const model: Model = {
  configured: true,
  price: 'unpriced',
  generate: async () => {
    requests += 1;
    return reply;
  },
  converse: async () => {
    requests += 1;
    return { ...reply, calls: [], truncated: false };
  },
};

/** The context as JavaScript sees it: every method takes anything. */
interface UntypedContext {
  readonly fs: Record<'read' | 'write', Untyped>;
  readonly memory: Record<'read' | 'write' | 'writeFor', Untyped>;
  readonly model: Record<'generate' | 'converse', Untyped>;
  readonly exec: Untyped;
  readonly charge: Untyped;
  readonly call: Untyped;
}
type Untyped = (...values: readonly unknown[]) => unknown;
type Use = (context: UntypedContext) => unknown;

const runAs = async (use: Use) => {
  requests = 0;
  let innerRuns = 0;
  const inner = aTool({
    name: 'inner',
    run: () => {
      innerRuns += 1;
      return innerRuns;
    },
  });
  const tool = aTool({
    tier: 'write',
    needs: { paths: [{ path: '.', access: 'write' }], commands: ['ls'] },
    run: ((_input: unknown, context: ToolContext) =>
      use(context as unknown as UntypedContext)) as never,
  });
  const crib = await testCrib([tool, inner], { root, model, approver: () => true });
  const result = await crib.execute('echo', {});
  await crib.close();
  return { result, innerRuns };
};

const REFUSED: readonly (readonly [string, Use, string])[] = [
  ['fs.write', ({ fs }) => fs.write('a.txt', 'x', { overwrit: false }), 'mean overwrite?'],
  ['fs.write', ({ fs }) => fs.write('a.txt', 'x', { overwrite: 'no' }), 'true or false'],
  ['fs.write', ({ fs }) => fs.write('a.txt', 'x', 'w'), 'object'],
  ['fs.write', ({ fs }) => fs.write('a.txt', 'x', null), 'object'],
  ['fs.read', ({ fs }) => fs.read('a.txt', { maxbytes: 1 }), 'mean maxBytes?'],
  ['fs.read', ({ fs }) => fs.read('a.txt', { maxBytes: '1' }), 'number'],
  ['exec', ({ exec }) => exec('ls', [], { timeout: 5 }), 'mean timeoutMs?'],
  ['exec', ({ exec }) => exec('ls', [], { host: [] }), 'mean hosts?'],
  ['exec', ({ exec }) => exec('ls', [], { timeoutMs: '5' }), 'number'],
  ['exec', ({ exec }) => exec('ls', [], { env: { A: 1 } }), 'texts as values'],
  ['exec', ({ exec }) => exec('ls', [1]), 'list of texts'],
  ['charge', ({ charge }) => charge({ costs: 5 }), 'mean cost?'],
  ['charge', ({ charge }) => charge(5), 'object'],
  ['memory', ({ memory }) => memory.writeFor(5, { scope: 'working', ky: 'k' }, 1), 'mean key?'],
  ['memory', ({ memory }) => memory.writeFor(5, 'working', 1), 'object'],
  ['call', ({ call }) => call('inner', {}, { dryRun: true }), 'dryRun is not known'],
  ['model', ({ model: m }) => m.generate({ prompt: 'x', maxtokens: 5 }), 'mean maxTokens?'],
  ['model', ({ model: m }) => m.generate({ prompt: 'x', maxTokens: '5' }), 'whole number'],
  ['model', ({ model: m }) => m.generate({ prompt: 5 }), 'text'],
  ['model', ({ model: m }) => m.converse({ message: [] }), 'mean messages?'],
];

describe('a running tool that passes a wrong option to its context', () => {
  it.each(REFUSED)('%s: the call fails with VALIDATION_ERROR, no effect', async (_, use, named) => {
    const { result, innerRuns } = await runAs(use);
    expect([result.error?.code, result.error?.message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining(named),
    ]);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('before');
    expect([innerRuns, requests, result.metadata.cost]).toEqual([0, 0, 0]);
  });

  it('an option that cannot be read is refused', async () => {
    const options = {
      get overwrite(): boolean {
        throw new Error('no');
      },
    };
    const { result } = await runAs(({ fs }) => fs.write('a.txt', 'x', options));
    expect(result.error?.message).toContain('cannot be read');
  });

  it('a wrong option fails as a rejection where the method returns a promise', async () => {
    const { result } = await runAs(({ fs, model: m, call, memory }) =>
      Promise.allSettled([
        fs.read('a.txt', { x: 1 }),
        m.generate({ x: 1 }),
        call('inner', {}, { x: 1 }),
        memory.writeFor(5, { x: 1 }, 1),
      ]).then((settled) => settled.map(({ status }) => status)),
    );
    expect(result.data).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  });
});

describe('sandboxed code that passes a wrong option to its context', () => {
  it.each([
    ['fs.write', ['a.txt', 'x', { overwrit: false }]],
    ['fs.read', ['a.txt', { maxbytes: 1 }]],
    ['exec', ['ls', [], { timeout: 5 }]],
    ['charge', [{ costs: 5 }]],
    ['memory.writeFor', [5, { scope: 'working', key: 'k', ttl: 5 }, 1]],
    ['call', ['inner', {}, { dryRun: true }]],
  ])('%s %j is refused with VALIDATION_ERROR, no effect', async (method, args) => {
    const { result, innerRuns } = await runAs((context) =>
      sandboxHost(context as unknown as ToolContext).request(method, args),
    );
    expect([result.error?.code, innerRuns]).toEqual(['VALIDATION_ERROR', 0]);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('before');
  });

  it('fs.write with overwrite: false keeps the file', async () => {
    const { result } = await runAs((context) =>
      sandboxHost(context as unknown as ToolContext).request('fs.write', [
        ...['a.txt', 'x'],
        { overwrite: false },
      ]),
    );
    expect(result.error?.code).toBe('CONFLICT');
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('before');
  });
});

describe('a running tool whose options are known', () => {
  it('writes, reads, charges, remembers, calls and asks the model', async () => {
    const { result, innerRuns } = await runAs(async ({ fs, charge, memory, call, model: m }) => {
      await fs.write('b.txt', 'xyz', {
        createDirs: true,
        overwrite: undefined,
        nonsense: undefined,
      });
      charge({ cost: 0.001, tokens: undefined });
      await memory.write('working', 'k', 1);
      await memory.writeFor(5, { scope: 'working', key: 't' }, 1);
      await call('inner', {}, undefined);
      await m.generate({ prompt: 'x', maxTokens: 5, temperature: 0.5, schema: {} });
      await m.converse({ messages: [], tools: [], onText: () => {} });
      const bytes = (await fs.read('b.txt', { maxBytes: 100 })) as Uint8Array;
      return new TextDecoder().decode(bytes);
    });
    expect([result.error, result.data, innerRuns, requests]).toEqual([undefined, 'xyz', 1, 2]);
    expect(result.metadata.cost).toBe(0.001);
  });
});
