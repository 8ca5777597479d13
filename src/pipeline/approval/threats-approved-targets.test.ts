/** The threat: what an approved call leads to is exchanged between the question and the effect. */
import { mkdir, mkdtemp, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ApprovalRequest, Decision } from '../../contract/approver.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-approved-'));
  for (const folder of ['notes', 'secret', 'other']) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'a.txt'), `old ${folder}`);
  }
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Makes the folder that was approved a link to another one inside the workspace. */
const swapFolder = async (): Promise<void> => {
  await rename(join(root, 'notes'), join(root, 'notes.away'));
  await symlink('secret', join(root, 'notes'));
};

const idOf = ({ approval }: ToolResult): string => approval?.approvalId ?? '';
const yes = { approve: true, by: 'ada' };
const textOf = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

const put = (
  before: () => Promise<unknown> = async () => undefined,
  more: Partial<ToolDefinition<never, unknown>> = {},
): Tool =>
  aTool({
    name: 'put',
    tier: 'write',
    capabilities: [{ action: 'put', description: '', destructive: true }],
    needs: { paths: [{ path: '.', access: 'write' }] },
    run: (async ({ path }: { path: string }, { fs }: ToolContext) => {
      await before();
      await fs.write(path, 'new');
      return 'ok';
    }) as never,
    ...more,
  });

const answering = (
  act: (request: ApprovalRequest) => Promise<unknown>,
  said: Partial<Decision> = {},
): NonNullable<CribOptions['approver']> => ({
  ask: async (request) => {
    await act(request);
    return { answer: 'approve', by: 'ada', ...said };
  },
});

const input = { path: 'notes/a.txt' };

describe('threat: an approved target that is exchanged', () => {
  it('benign: the approved file is written, through a link that was shown as well', async () => {
    await symlink('notes', join(root, 'link'));
    const shown: (readonly string[])[] = [];
    const approver = answering(async ({ targets }) => shown.push(targets));
    const crib = await testCrib([put()], { root, approver });
    expect((await crib.execute('put', { path: 'link/a.txt' })).success).toBe(true);
    expect(shown).toEqual([[`file:${join(root, 'notes', 'a.txt')}`]]);
    expect(await textOf('notes/a.txt')).toBe('new');
  });

  it('hostile: nothing is written when a folder becomes a link inside the workspace while the question is open', async () => {
    const crib = await testCrib([put()], { root, approver: answering(swapFolder) });
    const result = await crib.execute('put', input);
    expect(result.error).toMatchObject({
      code: 'APPROVAL_EXPIRED',
      message: expect.stringContaining('leads elsewhere'),
    });
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('hostile: nothing is written when the folder is exchanged after the last check', async () => {
    const crib = await testCrib([put(swapFolder)], { root, approver: () => true });
    const result = await crib.execute('put', input);
    expect(result.error?.code).toBe('APPROVAL_EXPIRED');
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('hostile: nothing is read when the folder is exchanged after the last check', async () => {
    const read = put(undefined, {
      name: 'get',
      run: (async ({ path }: { path: string }, { fs }: ToolContext) => {
        await swapFolder();
        return Buffer.from(await fs.read(path)).toString();
      }) as never,
    });
    const crib = await testCrib([read], { root, approver: () => true });
    const result = await crib.execute('get', input);
    expect([result.error?.code, JSON.stringify(result).includes('old secret')]).toEqual([
      'APPROVAL_EXPIRED',
      false,
    ]);
  });

  it.each([
    ['removed', ({ fs }: ToolContext, path: string) => fs.remove(path)],
    ['listed', ({ fs }: ToolContext, path: string) => fs.list(join(path, '..'))],
    ['resolved', ({ fs }: ToolContext, path: string) => fs.resolve(path, 'write')],
    ['looked at', ({ fs }: ToolContext, path: string) => fs.stat(path)],
  ])('hostile: the call is refused when a path that is %s is exchanged', async (_name, use) => {
    const tool = put(undefined, {
      run: (async (given: { path: string }, context: ToolContext) => {
        await swapFolder();
        return (await use(context, given.path)) ?? 'done';
      }) as never,
      targets: (() => ({ paths: ['notes', 'notes/a.txt'] })) as never,
    });
    const crib = await testCrib([tool], { root, approver: () => true });
    expect((await crib.execute('put', input)).error?.code).toBe('APPROVAL_EXPIRED');
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('hostile: the call is refused when two links exchange their targets', async () => {
    await symlink('notes/a.txt', join(root, 'from'));
    await symlink('other/a.txt', join(root, 'to'));
    const exchange = async () => {
      await rename(join(root, 'from'), join(root, 'x'));
      await rename(join(root, 'to'), join(root, 'from'));
      await rename(join(root, 'x'), join(root, 'to'));
    };
    const copy = (before: () => Promise<unknown>) =>
      put(undefined, {
        name: 'copy',
        run: (async (given: { fromPath: string; toPath: string }, { fs }: ToolContext) => {
          await before();
          await fs.write(given.toPath, await fs.read(given.fromPath));
          return 'ok';
        }) as never,
      });
    const both = { fromPath: 'from', toPath: 'to' };
    const early = await testCrib([copy(async () => undefined)], {
      root,
      approver: answering(exchange),
    });
    expect((await early.execute('copy', both)).error?.code).toBe('APPROVAL_EXPIRED');
    const late = await testCrib([copy(exchange)], { root, approver: () => true });
    expect((await late.execute('copy', both)).error?.code).toBe('APPROVAL_EXPIRED');
    expect([await textOf('notes/a.txt'), await textOf('other/a.txt')]).toEqual([
      'old notes',
      'old other',
    ]);
  });

  it('hostile: the call is refused when a path that led to nothing leads to a file', async () => {
    await symlink('nowhere/a.txt', join(root, 'dangling'));
    const open = async () => {
      await unlink(join(root, 'dangling'));
      await symlink('secret/a.txt', join(root, 'dangling'));
    };
    const crib = await testCrib([put(open)], { root, approver: () => true });
    expect((await crib.execute('put', { path: 'dangling' })).error?.code).toBe('APPROVAL_EXPIRED');
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('hostile: exchanged targets are refused for approvals of the inbox, in another process, and by link', async () => {
    const store = createMemoryStore();
    const tool = put();
    const asking = await testCrib([tool], { root, store });
    const first = idOf(await asking.execute('put', input));
    const second = idOf(await asking.execute('put', { path: 'notes/b.txt' }));
    const deciding = await testCrib([tool], { root, store });
    await deciding.approvals.decide(first, yes);
    await deciding.approvals.decideByLink((await deciding.approvals.links(second)).approve);
    await swapFolder();
    for (const [path, approvalId] of [
      ['notes/a.txt', first],
      ['notes/b.txt', second],
    ] as const) {
      const result = await asking.execute('put', { path }, { approvalId });
      expect(result.error?.code).toBe('APPROVAL_EXPIRED');
    }
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('benign: an edited path is written where it led when it was approved', async () => {
    const approver = answering(async () => undefined, { input: { path: 'other/a.txt' } });
    const crib = await testCrib([put()], { root, approver });
    expect((await crib.execute('put', input)).success).toBe(true);
    expect([await textOf('other/a.txt'), await textOf('notes/a.txt')]).toEqual([
      'new',
      'old notes',
    ]);
  });

  it('hostile: the call is refused when the path of an edited approval is exchanged before its use', async () => {
    const crib = await testCrib([put()], { root });
    const approvalId = idOf(await crib.execute('put', { path: 'other/a.txt' }));
    await crib.approvals.decide(approvalId, { ...yes, input });
    await swapFolder();
    const result = await crib.execute('put', { path: 'other/a.txt' }, { approvalId });
    expect(result.error?.code).toBe('APPROVAL_EXPIRED');
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });

  it('hostile: a remembered pattern does not follow a link that was made later', async () => {
    const seen = { asked: 0 };
    const remember = { scope: 'pattern', condition: 'input.path.startsWith("notes/")' } as const;
    const approver: NonNullable<CribOptions['approver']> = {
      ask: async () => {
        seen.asked += 1;
        return seen.asked === 1
          ? { answer: 'approve', by: 'ada', remember }
          : { answer: 'deny', by: 'ada' };
      },
    };
    const crib = await testCrib([put()], { root, approver });
    await crib.execute('put', input);
    expect((await crib.execute('put', { path: 'notes/b.txt' })).success).toBe(true);
    expect(seen.asked).toBe(1);
    await swapFolder();
    expect((await crib.execute('put', input)).error?.code).toBe('USER_CANCELLED');
    expect([seen.asked, await textOf('secret/a.txt')]).toEqual([2, 'old secret']);
  });

  it('hostile: nothing is written when the target of a standing grant is exchanged before the file is opened', async () => {
    const state = { swap: false };
    const crib = await testCrib([put(async () => state.swap && swapFolder())], {
      root,
      approver: answering(async () => undefined, { remember: { scope: 'session' } }),
    });
    expect((await crib.execute('put', input)).success).toBe(true);
    state.swap = true;
    expect((await crib.execute('put', input)).error?.code).toBe('APPROVAL_EXPIRED');
    expect(await textOf('secret/a.txt')).toBe('old secret');
  });
});

describe('threat: a tool or a policy that changes while the question is open', () => {
  const runs: string[] = [];
  const wipe = (more: Partial<ToolDefinition<never, unknown>> = {}) =>
    aTool({ name: 'wipe', tier: 'execute', run: () => runs.push('ran'), ...more });
  beforeEach(() => runs.splice(0));

  it.each([
    ['another definition', { description: 'Does something else.' }],
    ['other code', { run: () => runs.push('other') }],
  ])('hostile: the approval does not count when the tool gets %s', async (_name, more) => {
    const approver = answering(() => crib.tools.update(wipe(more as never)) as Promise<unknown>);
    const crib = await testCrib([wipe()], { root, approver });
    const result = await crib.execute('wipe', {});
    expect([result.error?.code, runs]).toEqual(['APPROVAL_EXPIRED', []]);
  });

  it('hostile: the approval does not count when the tool is switched off or removed', async () => {
    const off = await testCrib([wipe()], {
      root,
      approver: answering(async () => off.tools.setEnabled('wipe', false)),
    });
    expect((await off.execute('wipe', {})).error?.code).toBe('TOOL_DISABLED');
    const gone = await testCrib([wipe()], {
      root,
      approver: answering(async () => gone.tools.unregister('wipe')),
    });
    expect((await gone.execute('wipe', {})).error?.code).toBe('APPROVAL_EXPIRED');
    expect(runs).toEqual([]);
  });

  it('hostile: an approval with another input does not count when the tool is removed', async () => {
    const approver = answering(async () => crib.tools.unregister('wipe'), { input: { n: 1 } });
    const crib = await testCrib([wipe()], { root, approver });
    expect((await crib.execute('wipe', {})).error?.code).toBe('TOOL_NOT_FOUND');
    expect(runs).toEqual([]);
  });

  it('hostile: the approval does not count when the policy gets another version', async () => {
    const state = { version: '1' };
    const policy: Policy = {
      get version() {
        return state.version;
      },
      judge: () => ({ effect: 'ask', rule: 'r', reason: '' }),
    };
    const approver = answering(async () => {
      state.version = '2';
    });
    const crib = await testCrib([wipe()], { root, policy, approver });
    expect((await crib.execute('wipe', {})).error).toMatchObject({
      code: 'APPROVAL_EXPIRED',
      message: expect.stringContaining('rules'),
    });
    expect(runs).toEqual([]);
  });

  it('benign: a tool that is registered again unchanged runs', async () => {
    const tool = wipe();
    const approver = answering(() => crib.tools.update(tool) as Promise<unknown>);
    const crib = await testCrib([tool], { root, approver });
    expect((await crib.execute('wipe', {})).success).toBe(true);
  });
});

describe('threat: a question in the store that shows another call than it binds', () => {
  it('hostile: a question that shows another call than it binds cannot be approved', async () => {
    const store = createMemoryStore();
    const crib = await testCrib([put()], { root, store });
    const approvalId = idOf(await crib.execute('put', { path: 'secret/a.txt' }));
    const record = await store.approvals.get(approvalId);
    if (!record) throw new Error('no record');
    const request = { ...record.request, input: { path: 'notes/a.txt' } };
    await store.approvals.create({ ...record, id: 'approval_planted', request });
    await expect(crib.approvals.decide('approval_planted', yes)).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
    expect(await crib.approvals.decide('approval_planted', { approve: false, by: 'ada' })).toBe(
      true,
    );
  });
});
