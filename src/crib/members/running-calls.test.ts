/** The list of calls under way: of this process, and of others on the same store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { Tool } from '../../contract/tool.ts';
import { createCribHost } from '../create-crib.ts';

let folder = '';
let opened: CribHost[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-running-'));
  opened = [];
});
afterEach(async () => {
  for (const crib of opened) await crib.close();
  rmSync(folder, { recursive: true });
});

const open = async (tools: readonly Tool[]): Promise<CribHost> => {
  const store = { sqlite: join(folder, 'crib.db') };
  const crib = await createCribHost({ builtins: false, store, tools });
  opened.push(crib);
  return crib;
};

/** A tool that has begun when `begun` resolves, and ends when `end` is called. */
const held = (name: string, tier: 'read_only' | 'write') => {
  let end = (): void => undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async () => {
    begin();
    await over;
  };
  return { tool: aTool({ name, tier, run }), begun, end: () => end() };
};

describe('calls under way', () => {
  it('are listed with their caller, and are gone when they are over', async () => {
    const slow = held('slow', 'read_only');
    const crib = await open([slow.tool]);
    const call = crib.execute('slow', {}, { userId: 'ada', agentId: 'planner' });
    await slow.begun;
    expect(await crib.executions.running()).toMatchObject([
      { tool: 'slow', state: 'running', userId: 'ada', agentId: 'planner', isHere: true },
    ]);
    slow.end();
    await call;
    expect(await crib.executions.running()).toEqual([]);
  });

  it('include those of another process that may change something, and say so', async () => {
    const [write, read] = [held('writer', 'write'), held('reader', 'read_only')];
    const other = await open([write.tool, read.tool]);
    const crib = await open([]);
    const calls = [other.execute('writer', { to: 'disk' }), other.execute('reader', {})];
    await Promise.all([write.begun, read.begun]);
    expect(await crib.executions.running()).toMatchObject([
      { tool: 'writer', tier: 'write', summary: 'to: disk', isHere: false },
    ]);
    expect(await other.executions.running()).toHaveLength(2);
    write.end();
    read.end();
    await Promise.all(calls);
    expect(await crib.executions.running()).toEqual([]);
  });
});
