/** One call that is undone by several at once, by one whose process dies, and by one that ignores its abort. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

let root: string;
const cleanup: (() => unknown)[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-undos-'));
});
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
  rmSync(root, { recursive: true, force: true });
});

/** A tool whose undo goes on until it is let go; each undo that begins is counted. */
const slowUndo = () => {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const begun: unknown[] = [];
  const undo = async (input: unknown): Promise<void> => {
    begun.push(input);
    await gate;
  };
  const tool = aTool({ name: 'send', tier: 'write', undo: undo as never });
  return { tool, begun, letGo };
};

const open = async (
  tools: readonly Tool[],
  store: NonNullable<CribOptions['store']> = 'memory',
): Promise<TestCrib> => {
  const home = join(root, 'home');
  const crib = await testCrib(tools, { root, home, store });
  cleanup.push(() => crib.close());
  return crib;
};

/** A store in which each key that is held is that of a process which has died. */
const withDeadOwners = (): Store => {
  const store = createMemoryStore();
  const claim: Store['replays']['claim'] = async (request) => {
    const held = await store.replays.claim(request);
    return held.state === 'running' ? { ...held, state: 'unknown' } : held;
  };
  return { ...store, replays: { ...store.replays, claim } };
};

/** Writes a file by the broker, which keeps what was there. */
const writer = aTool({
  name: 'write',
  tier: 'write',
  needs: { paths: [{ path: '.', access: 'write' }] },
  run: (async (_input: unknown, { fs }: ToolContext) => fs.write('a.txt', 'new')) as never,
});

const codesOf = (results: readonly ToolResult<unknown>[]): readonly string[] =>
  results.map(({ error }) => error?.code ?? 'done').toSorted();

describe.each(['memory', 'sqlite'] as const)('threat: repeated undos of a call in %s', (kind) => {
  it('runs the undo of the tool once when five ask for it at the same time', async () => {
    const { tool, begun, letGo } = slowUndo();
    const crib = await open([tool], kind === 'memory' ? kind : { sqlite: join(root, 'state.db') });
    const { executionId } = (await crib.execute('send', { to: 'ada' })).metadata;
    const undos = Array.from({ length: 5 }, () => crib.executions.undo(executionId));
    await Promise.any(undos.map(async (each) => expect((await each).success).toBe(false)));
    letGo();
    const codes = codesOf(await Promise.all(undos));
    expect(codes).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'done']);
    expect(begun).toEqual([{ to: 'ada' }]);
    expect((await crib.audit.query({ status: 'undone' })).length).toBe(1);
  });
});

describe('threat: an undo that is not over when its call is', () => {
  it('is not begun a second time while a tool ignores that its undo was aborted', async () => {
    const { tool, begun, letGo } = slowUndo();
    const crib = await open([tool]);
    const { executionId } = (await crib.execute('send', {})).metadata;
    const control = new AbortController();
    const first = crib.executions.undo(executionId, { signal: control.signal });
    await expect.poll(() => begun.length).toBe(1);
    control.abort();
    expect((await first).error?.code).toBe('CANCELLED');
    expect((await crib.executions.undo(executionId)).error?.message).toContain('being undone');
    letGo();
    const status = async () => (await crib.executions.status(executionId))?.effect;
    await expect.poll(status).toBe('undone');
    expect(begun).toHaveLength(1);
  });

  it('stays in doubt when its process has died', async () => {
    const { tool, begun, letGo } = slowUndo();
    const store = withDeadOwners();
    const crib = await open([tool], store);
    const { executionId } = (await crib.execute('send', {})).metadata;
    void crib.executions.undo(executionId);
    cleanup.push(letGo);
    await expect.poll(() => begun.length).toBe(1);
    const again = await crib.executions.undo(executionId);
    expect(again.error).toMatchObject({ code: 'CONFLICT' });
    expect(again.error?.message).toContain('nobody knows');
    expect(begun).toHaveLength(1);
  });

  it('benign: is done again after its process has died where it only restores files', async () => {
    writeFileSync(join(root, 'a.txt'), 'old');
    const store = withDeadOwners();
    const crib = await open([writer], store);
    const { executionId } = (await crib.execute('write', {})).metadata;
    const key = canonicalJson(['undo', executionId]);
    await store.replays.claim({ key, digest: executionId, executionId: 'dead', now: 0 });
    expect(await crib.executions.undo(executionId)).toMatchObject({ success: true });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  it('is not done again when it could not be put on record', async () => {
    const { tool, begun, letGo } = slowUndo();
    letGo();
    const store = createMemoryStore();
    const { append } = store.audit;
    const crib = await open([tool], store);
    const { executionId } = (await crib.execute('send', {})).metadata;
    store.audit.append = async (entry, ...more) => {
      if (entry.status === 'undone') throw new Error('away');
      return append.call(store.audit, entry, ...more);
    };
    expect((await crib.executions.undo(executionId)).success).toBe(false);
    expect((await crib.executions.undo(executionId)).error?.code).toBe('CONFLICT');
    expect(begun).toHaveLength(1);
  });

  it('can be tried again when it failed', async () => {
    let tries = 0;
    const undo = async (): Promise<void> => {
      tries += 1;
      if (tries === 1) throw new Error('The recipient is away.');
    };
    const crib = await open([aTool({ name: 'send', tier: 'write', undo: undo as never })]);
    const { executionId } = (await crib.execute('send', {})).metadata;
    expect((await crib.executions.undo(executionId)).success).toBe(false);
    expect((await crib.executions.undo(executionId)).success).toBe(true);
    expect((await crib.executions.undo(executionId)).error?.message).toContain('already');
  });
});
