import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const DAY_MS = 86_400_000;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-undo-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

interface Change {
  readonly path: string;
  readonly text?: string;
}

/** Writes, or removes where there is no text. */
const change = aTool({
  name: 'change',
  tier: 'write',
  needs: { paths: [{ path: '.', access: 'write' }] },
  run: (async (input: { changes: Change[]; fail?: boolean }, { fs }: ToolContext) => {
    for (const { path, text } of input.changes) {
      if (text === undefined) await fs.remove(path);
      else await fs.write(path, text);
    }
    if (input.fail) throw new Error('after writing');
    return input.changes.length;
  }) as never,
});

const start = (store = createMemoryStore()): Promise<TestCrib> =>
  testCrib([change], { root, store });
const text = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

describe('undo', () => {
  it('restores what was written, created and removed, in reverse', async () => {
    const crib = await start();
    await writeFile(join(root, 'old.txt'), 'old');
    await writeFile(join(root, 'gone.txt'), 'gone');
    const { metadata, data } = await crib.execute('change', {
      changes: [
        { path: 'old.txt', text: 'one' },
        { path: 'old.txt', text: 'two' },
        { path: 'new.txt', text: 'new' },
        { path: 'gone.txt' },
      ],
    });
    expect(data).toBe(4);
    const result = await crib.executions.undo(metadata.executionId);
    expect(result.data?.restored.toSorted()).toEqual(['gone.txt', 'old.txt']);
    expect(result.data?.removed).toEqual(['new.txt']);
    expect([await text('old.txt'), await text('gone.txt')]).toEqual(['old', 'gone']);
    await expect(text('new.txt')).rejects.toThrow('ENOENT');
    expect(await crib.executions.status(metadata.executionId)).toMatchObject({
      state: 'completed',
      effect: 'undone',
    });
  });

  it('undo refuses when the file was changed since, and touches nothing', async () => {
    const crib = await start();
    await writeFile(join(root, 'a.txt'), 'a');
    await writeFile(join(root, 'b.txt'), 'b');
    const { metadata } = await crib.execute('change', {
      changes: [
        { path: 'a.txt', text: 'A' },
        { path: 'b.txt', text: 'B' },
      ],
    });
    await writeFile(join(root, 'b.txt'), 'edited by hand');
    expect((await crib.executions.undo(metadata.executionId)).error?.code).toBe('CONFLICT');
    expect([await text('a.txt'), await text('b.txt')]).toEqual(['A', 'edited by hand']);
  });

  it('a call can be undone once, and what was done before a failure can be undone too', async () => {
    const crib = await start();
    await writeFile(join(root, 'a.txt'), 'a');
    const failed = await crib.execute('change', {
      changes: [{ path: 'a.txt', text: 'A' }],
      fail: true,
    });
    expect(failed.success).toBe(false);
    expect((await crib.executions.undo(failed.metadata.executionId)).success).toBe(true);
    expect(await text('a.txt')).toBe('a');
    expect((await crib.executions.undo(failed.metadata.executionId)).error?.code).toBe('CONFLICT');
  });

  it('nobody undoes the calls of others, except an owner or admin', async () => {
    const crib = await start();
    const { metadata } = await crib.execute(
      'change',
      { changes: [{ path: 'a.txt', text: 'A' }] },
      { userId: 'ada' },
    );
    const { executionId } = metadata;
    expect((await crib.executions.undo(executionId, { userId: 'eve' })).error?.code).toBe(
      'NOT_FOUND',
    );
    expect((await crib.executions.undo('x-unknown', { userId: 'ada' })).error?.code).toBe(
      'NOT_FOUND',
    );
    expect(
      (await crib.executions.undo(executionId, { userId: 'root', roles: ['admin'] })).success,
    ).toBe(true);
  });

  it('the undo itself is claimed and recorded', async () => {
    const crib = await start();
    const { metadata } = await crib.execute('change', { changes: [{ path: 'a.txt', text: 'A' }] });
    await crib.executions.undo(metadata.executionId);
    const rows = await crib.audit.query();
    expect(rows.map(({ kind, tool, status }) => `${kind} ${tool} ${status}`)).toEqual([
      'outcome toolcrib:undo success',
      'event change undone',
      'intent toolcrib:undo started',
      'outcome change success',
      'intent change started',
    ]);
  });

  it("a tool's own undo gets the exact input and result", async () => {
    const seen: unknown[] = [];
    const crib = await testCrib([
      aTool({
        tier: 'write',
        run: () => ({ id: 7 }),
        undo: (async (input: unknown, result: { data: unknown }) => {
          seen.push([input, result.data]);
        }) as never,
      }),
    ]);
    const { metadata } = await crib.execute('echo', { secret: 'kept exactly' });
    expect((await crib.executions.undo(metadata.executionId)).success).toBe(true);
    expect(seen).toEqual([[{ secret: 'kept exactly' }, { id: 7 }]]);
  });

  it('fails with a reason when there is nothing to undo', async () => {
    const crib = await testCrib([aTool()]);
    const { metadata } = await crib.execute('echo', {});
    expect((await crib.executions.undo(metadata.executionId)).error?.message).toContain(
      'nothing that can be undone',
    );
  });

  it('expires after its days, says so, and deletes what it stored', async () => {
    const store = createMemoryStore();
    const crib = await testCrib([change, aTool()], {
      root,
      store,
      config: { execution: { undoDays: 2 } },
    });
    const call = (name: string) =>
      crib.execute('change', { changes: [{ path: name, text: 'new' }] });
    await writeFile(join(root, 'a.txt'), 'old');
    const [write, read] = [await call('a.txt'), await crib.execute('echo', {})];
    const { executionId } = write.metadata;
    await crib.runtime.advance(2 * DAY_MS);
    expect(await crib.executions.isUndoable(executionId)).toBe(true);
    await crib.runtime.advance(1);
    // It lies there yet, for nobody has cleared it, but its time is over.
    expect(await store.snapshots.of(executionId)).toHaveLength(1);
    expect(await crib.executions.isUndoable(executionId)).toBe(false);
    const late = await crib.executions.undo(executionId);
    expect(late.error).toMatchObject({ code: 'UNDO_EXPIRED' });
    expect(await text('a.txt')).toBe('new');
    const next = await call('b.txt');
    expect(await store.snapshots.of(executionId)).toEqual([]);
    expect((await crib.executions.undo(executionId)).error?.code).toBe('UNDO_EXPIRED');
    expect((await crib.executions.undo(read.metadata.executionId)).error?.code).toBe('CONFLICT');
    expect(await crib.executions.isUndoable(next.metadata.executionId)).toBe(true);
    expect(await crib.executions.isUndoable('unknown')).toBe(false);
  });

  it("of a tool's own kind is refused after its days, too", async () => {
    const own = aTool({ tier: 'write', undo: (async () => undefined) as never });
    const crib = await testCrib([own], { config: { execution: { undoDays: 1 } } });
    const { executionId } = (await crib.execute('echo', {})).metadata;
    expect(await crib.executions.isUndoable(executionId)).toBe(true);
    await crib.runtime.advance(DAY_MS + 1);
    expect(await crib.executions.isUndoable(executionId)).toBe(false);
    expect((await crib.executions.undo(executionId)).error?.code).toBe('UNDO_EXPIRED');
  });

  it('a read-only call cannot change files', async () => {
    const sneaky = aTool({ ...change, name: 'sneaky', tier: 'read_only' } as never);
    const crib = await testCrib([sneaky], { root });
    const result = await crib.execute('sneaky', { changes: [{ path: 'a.txt', text: 'x' }] });
    expect(result.error?.code).toBe('PERMISSION_DENIED');
    await expect(text('a.txt')).rejects.toThrow('ENOENT');
  });

  it('a write forgets what was cached of the file and of its folder', async () => {
    let runs = 0;
    const read = aTool({
      name: 'read',
      cache: { ttlMs: 60_000 },
      needs: { paths: [{ path: '.', access: 'read' }] },
      run: (async (input: { path: string }, { fs }: ToolContext) => {
        runs++;
        return Buffer.from(await fs.read(input.path)).toString();
      }) as never,
    });
    await writeFile(join(root, 'a.txt'), 'one');
    const crib = await testCrib([read, change], { root });
    await crib.execute('read', { path: 'a.txt' });
    expect((await crib.execute('read', { path: 'a.txt' })).metadata.cached).toBe(true);
    await crib.execute('change', { changes: [{ path: 'a.txt', text: 'two' }] });
    expect((await crib.execute('read', { path: 'a.txt' })).data).toBe('two');
    expect(runs).toBe(2);
  });
});
