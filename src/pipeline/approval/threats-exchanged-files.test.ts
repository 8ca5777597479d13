/**
 * The threat: while a person is asked about a command or a file, somebody puts another folder or file
 * in the place of the one that the person sees.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

const ALLOW = ['rm *', 'cat *', 'cp *', 'cd *', 'bash build.sh', 'mytool **', 'npm test'];

let workspace: Workspace;
const cribs: Crib[] = [];
beforeEach(() => {
  workspace = createWorkspace({
    'd/f.txt': 'd',
    'e/f.txt': 'e',
    'build.sh': 'echo built\n',
    'package.json': '{"scripts":{"test":"echo tested"}}',
  });
});
afterEach(async () => {
  for (const crib of cribs.splice(0)) await crib.close();
  workspace.remove();
});

const at = (path: string): string => join(workspace.root, path);
const textOf = (path: string): string => readFileSync(at(path), 'utf8');

const open = async (options: Partial<CribOptions> = {}): Promise<Crib> => {
  const config = { commands: { allow: ALLOW } };
  const crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config,
    watch: false,
    ...options,
  });
  cribs.push(crib);
  return crib;
};

/** A crib whose approver lets something happen before the answer is yes. */
const openAsked = (meanwhile: () => unknown, more: Partial<CribOptions> = {}): Promise<Crib> =>
  open({
    approver: async () => {
      await meanwhile();
      return true;
    },
    ...more,
  });

const toLink = (target: string) => () => {
  renameSync(at('d'), at('away'));
  symlinkSync(target, at('d'));
};
const exchange = (a: string, b: string) => () => {
  renameSync(at(a), at('x'));
  renameSync(at(b), at(a));
  renameSync(at('x'), at(b));
};
/** Saves as editors do, and again until the clock of the file system has moved past the question. */
const save = (path: string, text: string) => () => {
  const since = Date.now();
  do {
    writeFileSync(at('saved'), text);
    renameSync(at('saved'), at(path));
  } while (statSync(at(path)).birthtimeMs <= since + 1);
};

const bash = async (crib: Crib, command: string, more: object = {}) => {
  const { data, error } = await crib.execute('bash_execution', { command, ...more });
  return { data: data as { stdout?: string } | undefined, code: error?.code };
};

describe.skipIf(missing)('threat: an approved command whose files are exchanged', () => {
  it.each([
    ['a link to another folder', toLink('e')],
    ['a link out of the workspace', toLink('/tmp')],
    ['another folder, renamed', exchange('d', 'e')],
  ])('hostile: rm is refused when its folder has become %s', async (_name, meanwhile) => {
    const crib = await openAsked(meanwhile);
    expect((await bash(crib, 'rm d/f.txt')).code).toBe('APPROVAL_EXPIRED');
    const left = ['d/f.txt', 'e/f.txt', 'away/f.txt'].map((path) => existsSync(at(path)));
    expect(left.filter(Boolean).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['rm d/f.txt', {}],
    ['rm ./d/../d/f.txt', {}],
    ['cd d && rm f.txt', {}],
    ['rm f.txt', { cwd: 'd' }],
    ['timeout 5 rm d/f.txt', {}],
    ['rm', { args: ['d/f.txt'] }],
    ['cat build.sh > d/f.txt', {}],
    ['cp build.sh d/new.txt', {}],
    ['mytool --out=d/f.txt', {}],
  ])('hostile: %s %j is bound to the folder d, however it is spelled', async (command, more) => {
    const crib = await openAsked(toLink('e'));
    expect((await bash(crib, command, more)).code).toBe('APPROVAL_EXPIRED');
    expect([textOf('e/f.txt'), existsSync(at('e/new.txt'))]).toEqual(['e', false]);
  });

  it('hostile: the command is refused when a link that the person saw leads elsewhere', async () => {
    symlinkSync('d', at('link'));
    const crib = await openAsked(() => {
      unlinkSync(at('link'));
      symlinkSync('e', at('link'));
    });
    expect((await bash(crib, 'rm link/f.txt')).code).toBe('APPROVAL_EXPIRED');
    expect(existsSync(at('e/f.txt'))).toBe(true);
  });

  it('hostile: the command is refused when another file is renamed to the one that it reads', async () => {
    const crib = await openAsked(exchange('d/f.txt', 'e/f.txt'));
    expect(await bash(crib, 'cat d/f.txt')).toEqual({ data: undefined, code: 'APPROVAL_EXPIRED' });
  });

  it.each([
    ['the script', 'bash build.sh', () => writeFileSync(at('build.sh'), 'touch pwned\n')],
    [
      'package.json',
      'npm test',
      () => writeFileSync(at('package.json'), '{"scripts":{"test":"touch pwned"}}'),
    ],
  ])(
    'hostile: the command is refused when the content of %s changed before it runs',
    async (_name, command, meanwhile) => {
      const crib = await openAsked(meanwhile);
      expect((await bash(crib, command)).code).toBe('APPROVAL_EXPIRED');
      expect(existsSync(at('pwned'))).toBe(false);
    },
  );

  it('hostile: the command is refused when its folder is exchanged between the answer in the inbox and the run', async () => {
    const store = createMemoryStore();
    const crib = await open({ store });
    const { approval } = await crib.execute('bash_execution', { command: 'rm d/f.txt' });
    const approvalId = approval?.approvalId ?? '';
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    exchange('d', 'e')();
    const late = await crib.execute('bash_execution', { command: 'rm d/f.txt' }, { approvalId });
    expect(late.error?.code).toBe('APPROVAL_EXPIRED');
    expect([textOf('d/f.txt'), textOf('e/f.txt')]).toEqual(['e', 'd']);
    const again = await crib.execute('bash_execution', { command: 'rm d/f.txt' });
    expect(again.approval?.approvalId).not.toBe(approvalId);
  });

  it('hostile: an edited command is refused when its folder is exchanged before the run', async () => {
    const crib = await open();
    const first = { command: 'cat d/f.txt' };
    const { approval } = await crib.execute('bash_execution', first);
    const approvalId = approval?.approvalId ?? '';
    const input = { command: 'rm e/f.txt' };
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada', input });
    exchange('d', 'e')();
    const late = await crib.execute('bash_execution', first, { approvalId });
    expect(late.error?.code).toBe('APPROVAL_EXPIRED');
    expect([textOf('d/f.txt'), textOf('e/f.txt')]).toEqual(['e', 'd']);
  });

  it('decision: the person is asked again when a file that rm would destroy was edited meanwhile', async () => {
    const crib = await openAsked(() => appendFileSync(at('d/f.txt'), ' and an hour of work'));
    expect((await bash(crib, 'rm d/f.txt')).code).toBe('APPROVAL_EXPIRED');
    expect(textOf('d/f.txt')).toContain('an hour of work');
  });

  it.each([
    ['is not touched', () => undefined],
    ['gets another file', () => writeFileSync(at('d/other.txt'), '')],
    ['is beside one that changes', () => rmSync(at('e'), { recursive: true })],
  ])('benign: rm runs when the folder %s', async (_name, meanwhile) => {
    const crib = await openAsked(meanwhile);
    expect((await bash(crib, 'rm d/f.txt')).code).toBeUndefined();
    expect(existsSync(at('d/f.txt'))).toBe(false);
  });

  it.each([
    ['in place', () => writeFileSync(at('d/f.txt'), 'edited')],
    ['by an editor that replaces it', save('d/f.txt', 'edited')],
  ])(
    'benign: the command runs when a file that it reads was edited meanwhile %s',
    async (_name, meanwhile) => {
      const crib = await openAsked(meanwhile);
      expect(await bash(crib, 'cat d/f.txt')).toMatchObject({ data: { stdout: 'edited' } });
    },
  );

  it('benign: the person sees the files that the command names', async () => {
    const seen: (readonly string[])[] = [];
    const crib = await open({
      approver: ({ targets }) => {
        seen.push(targets);
        return false;
      },
    });
    await bash(crib, 'rm d/f.txt');
    expect(seen).toEqual([[`file:${workspace.root}`, `file:${at('d/f.txt')}`]]);
  });
});

/** Writes below a path that it is given, after something has happened. */
const put = (before: () => unknown = () => undefined) =>
  aTool({
    name: 'put',
    tier: 'write',
    capabilities: [{ action: 'put', description: '', destructive: true }],
    needs: { paths: [{ path: '.', access: 'write' }] },
    run: (async ({ path }: { path: string }, { fs }: ToolContext) => {
      await before();
      await fs.write(path, 'new', { createDirs: true });
      await fs.write(path, 'newer');
      return 'ok';
    }) as never,
  });

describe('threat: an approved file tool whose folder is exchanged by a rename', () => {
  const codeOf = async (crib: Crib, path: string) =>
    (await crib.execute('put', { path })).error?.code;

  it.each(['d/f.txt', 'd/new.txt', 'd/deep/new.txt'])(
    'hostile: %s is refused when the folder is exchanged while the question is open',
    async (path) => {
      const crib = await openAsked(exchange('d', 'e'), { tools: [put()], builtins: false });
      expect(await codeOf(crib, path)).toBe('APPROVAL_EXPIRED');
      expect([textOf('d/f.txt'), existsSync(at('d/new.txt'))]).toEqual(['e', false]);
    },
  );

  it('hostile: nothing is written when the folder is exchanged after the last check', async () => {
    const tools = [put(exchange('d', 'e'))];
    const crib = await openAsked(() => undefined, { tools, builtins: false });
    expect(await codeOf(crib, 'd/f.txt')).toBe('APPROVAL_EXPIRED');
    expect(textOf('d/f.txt')).toBe('e');
  });

  it('hostile: the call is refused when an older folder is put where there was none', async () => {
    const meanwhile = () => renameSync(at('e'), at('new'));
    const crib = await openAsked(meanwhile, { tools: [put()], builtins: false });
    expect(await codeOf(crib, 'new/f.txt')).toBe('APPROVAL_EXPIRED');
    expect(textOf('new/f.txt')).toBe('e');
  });

  it('hostile: the call is refused when another file is renamed to the one that is written', async () => {
    const meanwhile = exchange('d/f.txt', 'e/f.txt');
    const crib = await openAsked(meanwhile, { tools: [put()], builtins: false });
    expect(await codeOf(crib, 'd/f.txt')).toBe('APPROVAL_EXPIRED');
    expect(textOf('d/f.txt')).toBe('e');
  });

  it.each([
    ['an editor saved the file', 'd/f.txt', save('d/f.txt', 'edited')],
    ['the file was edited in place', 'd/f.txt', () => writeFileSync(at('d/f.txt'), 'edited')],
    [
      'the folder was made meanwhile',
      'made/f.txt',
      () => {
        const since = Date.now();
        do {
          rmSync(at('made'), { recursive: true, force: true });
          mkdirSync(at('made'));
        } while (statSync(at('made')).birthtimeMs <= since + 1);
      },
    ],
  ])(
    'benign: %s succeeds, and undo restores the earlier content',
    async (_name, path, meanwhile) => {
      const crib = await openAsked(meanwhile, { tools: [put()], builtins: false });
      expect(await codeOf(crib, path)).toBeUndefined();
      expect(textOf(path)).toBe('newer');
    },
  );

  it('benign: under a grant for the session a file may be saved while the call waits', async () => {
    const crib = await open({
      tools: [put(save('d/f.txt', 'edited'))],
      builtins: false,
      approver: {
        ask: async () => ({ answer: 'approve', by: 'ada', remember: { scope: 'session' } }),
      },
    });
    expect(await codeOf(crib, 'd/f.txt')).toBeUndefined();
    expect(await codeOf(crib, 'd/f.txt')).toBeUndefined();
    expect(textOf('d/f.txt')).toBe('newer');
  });
});
