/** The threat: a composed tool does more, costs more or tells more than its parts may. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { conditional } from './conditional.ts';
import { parallel } from './parallel.ts';
import { sequence } from './sequence.ts';

const LENIENT = { version: 1 as const, rules: [{ name: 'all', effect: 'allow' as const }] };
const folders: string[] = [];
const open: TestCrib[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const cribOf = async (tools: readonly Tool[], options?: CribOptions): Promise<TestCrib> => {
  const crib = await testCrib(tools, options);
  open.push(crib);
  return crib;
};

const read = aTool({ name: 'read' });
const fails = aTool({
  name: 'fails',
  run: () => {
    throw new Error('no');
  },
});

describe('threat: hidden tier lowering', () => {
  const wipe = aTool({
    name: 'wipe',
    tier: 'write',
    capabilities: [{ action: 'wipe', description: 'Wipes.', destructive: true, tier: 'execute' }],
  });

  it('a composed tool is as dangerous as its most dangerous part, however deep', () => {
    const inner = sequence([read, wipe], { name: 'harmless' });
    for (const whole of [
      inner,
      parallel([read, inner]),
      conditional([{ condition: () => false, tools: [inner] }], { fallback: [read] }),
    ]) {
      expect(whole.tier).toBe('execute');
      expect(whole.capabilities).toMatchObject([{ destructive: true }]);
      expect(whole.callsTools).toBe(true);
    }
  });

  it('a rule that denies the tier denies the whole before the first part runs', async () => {
    const seen: string[] = [];
    const first = aTool({ name: 'first', run: () => seen.push('first') });
    const whole = sequence([first, wipe], { name: 'whole', transformOutput: () => ({}) });
    const rules = [{ name: 'no', effect: 'deny' as const, tools: ['whole'] }, ...LENIENT.rules];
    const crib = await cribOf([first, wipe, whole], { policy: { version: 1, rules } });
    expect((await crib.execute('whole', {})).status).toBe('denied');
    expect(seen).toEqual([]);
  });

  it('a rule against a part holds inside a whole that is allowed', async () => {
    const whole = sequence([read, wipe], { name: 'whole' });
    const rules = [{ name: 'no', effect: 'deny' as const, tools: ['wipe'] }, ...LENIENT.rules];
    const crib = await cribOf([read, wipe, whole], { policy: { version: 1, rules } });
    const result = await crib.execute('whole', {});
    expect(result).toMatchObject({ status: 'denied', error: { code: 'PERMISSION_DENIED' } });
  });

  it('a part of another version than it was composed of is refused', async () => {
    const whole = sequence([read, wipe], { name: 'whole' });
    const crib = await cribOf([read, wipe, whole], { policy: LENIENT });
    crib.tools.register({ ...wipe, version: '2.0.0' });
    expect((await crib.execute('whole', {})).error).toMatchObject({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringContaining('wipe@1.0.0 (active is 2.0.0)'),
    });
  });
});

describe('threat: circles and depth', () => {
  it('a tool that calls the composed tool it is part of ends as CALL_CYCLE, whatever came first', async () => {
    const back = aTool({
      name: 'back',
      run: (async (input: unknown, { call }: ToolContext) => {
        const { error } = await call('whole', input);
        if (error) throw new ToolFailure(error.code, error.message);
        return {};
      }) as never,
    });
    const whole = sequence([back], { name: 'whole' });
    const crib = await cribOf([whole, back]);
    expect((await crib.execute('whole', {})).error?.code).toBe('CALL_CYCLE');
  });

  it('composed tools inside composed tools end at the depth limit', async () => {
    const tools: Tool[] = [read];
    for (let depth = 1; depth <= 10; depth += 1) {
      tools.push(sequence([tools.at(-1) as Tool], { name: `level_${depth}` }));
    }
    const crib = await cribOf(tools);
    expect((await crib.execute('level_7', {})).success).toBe(true);
    expect((await crib.execute('level_10', {})).error?.code).toBe('CALL_CYCLE');
  });

  it('composed tools of composed tools cannot multiply their calls without end', () => {
    const many = (part: Tool, name: string) =>
      sequence(
        Array.from({ length: 50 }, () => part),
        { name },
      );
    expect(() => many(many(read, 'fifty'), 'more')).toThrow('would make up to 2550 calls');
  });
});

describe('threat: budgets', () => {
  const paid = (name: string, usd: number) =>
    defineTool({
      name,
      description: 'Costs money.',
      tier: 'read_only',
      cost: { model: 'usage_based', fixed: usd },
      input: z.object({}),
      run: () => ({ name }),
    });
  const limited = (usd: number): CribOptions => ({ config: { budget: { dailyUsd: usd } } });

  it('a composed tool that the budget does not cover does not start', async () => {
    const [a, b] = [paid('a', 0.6), paid('b', 0.6)];
    const whole = sequence([a, b], { name: 'whole' });
    const crib = await cribOf([a, b, whole], limited(1));
    const { error } = await crib.execute('whole', {});
    expect(error?.code).toBe('BUDGET_EXCEEDED');
    expect(error?.partial).toBeUndefined();
    expect((await crib.execute('a', {})).success).toBe(true);
  });

  it('a composed call holds the cost of each part once, and books no more than they cost', async () => {
    const [a, b] = [paid('a', 0.5), paid('b', 0.5)];
    const whole = sequence([a, b], { name: 'whole' });
    const crib = await cribOf([a, b, whole], limited(1));
    const { success, data } = await crib.execute('whole', {});
    expect(success).toBe(true);
    expect(data).toMatchObject({ results: [{ cost: 0.5 }, { cost: 0.5 }] });
    expect((await crib.execute('a', {})).error?.code).toBe('BUDGET_EXCEEDED');
  });

  it('the estimate counts only the dearest branch, and each part of a parallel tool with its own input', async () => {
    const byLength = defineTool({
      name: 'by_length',
      description: 'Costs by length.',
      tier: 'read_only',
      input: z.object({ text: z.string() }),
      estimate: ({ text }) => ({ cost: text.length, model: { inputTokens: 1, outputTokens: 2 } }),
      run: () => 1,
    });
    const either = conditional([{ condition: () => true, tools: [paid('a', 2)] }], {
      fallback: [paid('b', 5)],
    });
    expect(either.estimate?.({})).toMatchObject({ cost: 5 });
    const both = parallel([byLength, paid('a', 2)]);
    expect(both.estimate?.({ text: 'four' })).toEqual({
      cost: 6,
      tokens: 0,
      model: { inputTokens: 1, outputTokens: 2 },
    });
    expect(both.estimate?.({})).toMatchObject({ cost: 2 });
    expect(sequence([read]).estimate).toBeUndefined();
  });
});

describe('threat: approval fatigue', () => {
  const asks = (name: string) => aTool({ name, tier: 'execute', run: () => ({ name }) });
  const parts = Array.from({ length: 20 }, (_, at) => asks(`ask_${at}`));

  it.each([
    ['sequence', sequence(parts, { name: 'whole', stopOnError: false })],
    ['parallel', parallel(parts, { name: 'whole', maxConcurrency: 1 })],
  ])('a denied first part ends a %s, and nobody is asked again', async (_kind, whole) => {
    const asked: string[] = [];
    const approver = {
      ask: async ({ tool }: { readonly tool: string }) => {
        asked.push(tool);
        return { answer: tool === 'whole' ? ('approve' as const) : ('deny' as const), by: 'ada' };
      },
    };
    const crib = await cribOf([...parts, whole], { approver });
    const { error } = await crib.execute('whole', {});
    expect(error?.code).toBe('USER_CANCELLED');
    expect(asked).toEqual(['whole', 'ask_0']);
  });

  it('a part that waits for an answer ends the composed call, which says that parts before it run again', async () => {
    const rules = [{ name: 'whole', effect: 'allow' as const, tools: ['whole'] }];
    const whole = sequence([read, ...parts], { name: 'whole' });
    const crib = await cribOf([read, ...parts, whole], { policy: { version: 1, rules } });
    const { error } = await crib.execute('whole', {});
    expect(error?.code).toBe('APPROVAL_REQUIRED');
    const partial = error?.partial as { readonly results: readonly unknown[] } | undefined;
    expect(partial?.results.slice(0, 3)).toMatchObject([
      { success: true },
      { status: 'pending', approvalId: expect.any(String) },
      { status: 'skipped' },
    ]);
    expect(error?.suggestions.join()).toContain('call what is left by itself');
    expect(await crib.approvals.list()).toHaveLength(1);
  });
});

describe('threat: secrets in partial results', () => {
  it('secrets in partial results are redacted like data, also when the part did not know them', async () => {
    const leaks = aTool({
      name: 'leaks',
      run: () => ({ password: 'hunter2-hunter2', note: 'ok' }),
    });
    const whole = sequence([leaks, fails], { name: 'whole' });
    const crib = await cribOf([leaks, fails, whole]);
    const result = await crib.execute('whole', {});
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(result.error?.partial).toMatchObject({ results: [{ data: { note: 'ok' } }, {}] });
  });

  it('partial results of any tool are redacted; unreadable ones are left out', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const failing = (name: string, partial: unknown) =>
      aTool({
        name,
        run: () => {
          throw new ToolFailure('EXECUTION_FAILED', 'No.', { partial });
        },
      });
    const crib = await cribOf([
      failing('secret', { token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' }),
      failing('circle', circle),
      failing('large', { text: 'x'.repeat(3_000_000) }),
    ]);
    expect(JSON.stringify(await crib.execute('secret', {}))).not.toContain('ghp_0123');
    expect((await crib.execute('circle', {})).error).not.toHaveProperty('partial');
    const { error } = await crib.execute('large', {});
    const kept = error?.partial as { readonly handle: string } | undefined;
    expect(await crib.results.read(kept?.handle ?? '')).toBeDefined();
    const forModel = await crib.execute('secret', {}, { audience: 'model' });
    expect(forModel.error?.partial).toBeDefined();
  });
});

describe('undo of a composed call', () => {
  const writer = (name: string) =>
    defineTool({
      name,
      description: 'Writes a file.',
      tier: 'write',
      needs: { paths: [{ path: '.', access: 'write' }] },
      input: z.object({ text: z.string().optional() }),
      run: async ({ text = name }, { fs }) => {
        await fs.write('note.txt', text);
        return { text: `${text}+` };
      },
    });
  const mail = aTool({ name: 'mail', tier: 'write', run: () => ({ sent: true }) });

  const setUp = async (tools: readonly Tool[]) => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-compose-'));
    folders.push(root);
    writeFileSync(join(root, 'note.txt'), 'before');
    const crib = await cribOf(tools, { root, policy: LENIENT });
    const file = join(root, 'note.txt');
    return { crib, note: () => readFileSync(file, 'utf8'), remove: () => rmSync(file) };
  };

  it('undoes its parts in reverse, once', async () => {
    const [one, two] = [writer('one'), writer('two')];
    const inner = sequence([two], { name: 'inner' });
    const whole = sequence([one, inner], { name: 'whole' });
    const { crib, note } = await setUp([one, two, inner, whole]);
    const { metadata } = await crib.execute('whole', { text: 'a' });
    expect(note()).toBe('a+');
    expect(await crib.executions.isUndoable(metadata.executionId)).toBe(true);
    const undone = await crib.executions.undo(metadata.executionId);
    expect(note()).toBe('before');
    expect(undone.data?.restored).toEqual(['note.txt']);
    expect(undone.data?.parts).toMatchObject([
      { tool: 'inner', undone: true },
      { tool: 'one', undone: true },
    ]);
    expect((await crib.executions.undo(metadata.executionId)).error?.code).toBe('CONFLICT');
  });

  it('reports a file that one part created and another changed as removed', async () => {
    const [one, two] = [writer('one'), writer('two')];
    const whole = sequence([one, two], { name: 'whole' });
    const { crib, note, remove } = await setUp([one, two, whole]);
    remove();
    const { metadata } = await crib.execute('whole', { text: 'a' });
    expect(note()).toBe('a+');
    const { data } = await crib.executions.undo(metadata.executionId);
    expect(note).toThrow('ENOENT');
    expect([data?.restored, data?.removed]).toEqual([[], ['note.txt']]);
  });

  it('undoes what a failed whole has done', async () => {
    const one = writer('one');
    const whole = sequence([one, fails], { name: 'whole' });
    const { crib, note } = await setUp([one, fails, whole]);
    const { metadata, success } = await crib.execute('whole', { text: 'a' });
    expect(success).toBe(false);
    expect((await crib.executions.undo(metadata.executionId)).success).toBe(true);
    expect(note()).toBe('before');
  });

  it('goes on after a part that cannot be undone, says so, and can be repeated', async () => {
    const one = writer('one');
    const whole = sequence([one, mail], { name: 'whole' });
    const { crib, note } = await setUp([one, mail, whole]);
    const { metadata } = await crib.execute('whole', { text: 'a' });
    const { data } = await crib.executions.undo(metadata.executionId);
    expect(note()).toBe('before');
    expect(data?.parts).toMatchObject([
      { tool: 'mail', undone: false, reason: expect.any(String) },
      { tool: 'one', undone: true },
    ]);
    const again = await crib.executions.undo(metadata.executionId);
    expect(again.data?.parts).toMatchObject([{ undone: false }, { undone: true }]);
  });

  it('is refused to another user, part by part as well', async () => {
    const one = writer('one');
    const whole = sequence([one], { name: 'whole' });
    const { crib, note } = await setUp([one, whole]);
    const { metadata } = await crib.execute('whole', { text: 'a' }, { userId: 'ada' });
    const other = await crib.executions.undo(metadata.executionId, { userId: 'bob' });
    expect(other.error?.code).toBe('NOT_FOUND');
    expect(note()).toBe('a');
  });
});
