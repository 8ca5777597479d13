/** The command line from outside: init, the record of calls, undo, doctor and bad configuration. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/contract/audit.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { openDatabase } from '../../src/kit/sqlite/open-database.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

interface ListedCalls {
  readonly calls: readonly (AuditRow & { readonly effect: string })[];
  readonly next: number | null;
}

const write = async (project: Project, content: string): Promise<string> => {
  const ended = await project.run([
    'run',
    'write_file',
    'path=a.txt',
    `content=${content}`,
    '--json',
  ]);
  return ended.json<ToolResult>().metadata.executionId;
};

describe('toolcrib init', () => {
  it('writes a valid configuration once', async () => {
    const project = createQuickProject();
    const first = await project.run(['init']);
    expect(first.code).toBe(0);
    expect(first.out).toContain('Next:');
    expect(readFileSync(join(project.folder, '.toolcrib/.gitignore'), 'utf8')).toBe('state.db*\n');
    expect((await project.run(['run', 'calculator', 'expression=1'])).code).toBe(0);
    const again = await project.run(['init', '--json']);
    expect(again.code).toBe(1);
    expect(again.json()).toMatchObject({ error: { code: 'CONFLICT' } });
    writeFileSync(join(project.folder, '.toolcrib/config.yml'), 'tools: {}\n');
    const forced = await project.run(['init', '--force']);
    expect(forced.code).toBe(0);
    const kept = join(project.folder, '.toolcrib/config.yml.bak');
    expect(readFileSync(kept, 'utf8')).toBe('tools: {}\n');
  });
});

describe('toolcrib undo', () => {
  it('says of a file that the call had created that it was removed', async () => {
    const project = createQuickProject();
    const id = await write(project, 'new');
    const undone = await project.run(['undo', id, '--yes']);
    expect([undone.code, undone.out]).toEqual([0, '✓ removed a.txt\n']);
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(false);
  });

  it('shows what it would restore, restores it, and refuses a second time', async () => {
    const project = createQuickProject();
    const file = join(project.folder, 'a.txt');
    writeFileSync(file, 'before');
    const id = await write(project, 'after');
    expect(readFileSync(file, 'utf8')).toBe('after');
    const nobody = await project.run(['undo', id]);
    expect(nobody.code).toBe(2);
    expect(nobody.err).toContain('a.txt will get its earlier content back (6 bytes)');
    expect(nobody.err).toContain('--yes');
    expect(readFileSync(file, 'utf8')).toBe('after');
    const undone = await project.run(['undo', id, '--yes']);
    expect([undone.code, undone.out]).toEqual([0, '✓ restored a.txt\n']);
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect((await project.run(['undo', id, '--yes'])).code).not.toBe(0);
  });

  it('removes a file that the call created', async () => {
    const project = createQuickProject();
    const id = await write(project, 'new');
    const undone = await project.run(['undo', id, '--yes', '--json']);
    expect(undone.json()).toMatchObject({ success: true });
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(false);
  });

  it('refuses when the file has changed since the call', async () => {
    const project = createQuickProject();
    const id = await write(project, 'ours');
    writeFileSync(join(project.folder, 'a.txt'), 'theirs');
    const undone = await project.run(['undo', id, '--yes', '--json']);
    expect(undone.json<ToolResult>().error?.code).toBe('CONFLICT');
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('theirs');
  });

  it('is suggested after a write, and refuses an unknown call', async () => {
    const project = createQuickProject();
    const human = await project.run(['run', 'write_file', 'path=a.txt', 'content=x']);
    expect(human.err).toMatch(/undo with: toolcrib undo \S+/);
    const unknown = await project.run(['undo', 'nobody-knows', '--yes']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('NOT_FOUND')]);
  });
});

describe('an approval given elsewhere', () => {
  it('lets the same call run once, and no other call', async () => {
    const project = createQuickProject();
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(project.folder, name), 'x');
    const deleting = (name: string, ...more: readonly string[]) =>
      project.run([
        'run',
        'file_operations',
        'operation=delete',
        `path=${name}`,
        '--json',
        ...more,
      ]);
    const waiting = (await deleting('a.txt')).json<ToolResult>();
    const id = waiting.approval?.approvalId ?? '';
    expect((await deleting('a.txt', '--approval', id)).code).toBe(5);
    const home = join(project.home, '.config', 'toolcrib');
    const crib = await createCrib({ root: project.folder, home });
    expect(await crib.approvals.decide(id, { approve: true, by: 'ada' })).toBe(true);
    await crib.close();
    expect((await deleting('b.txt', '--approval', id)).code).toBe(3);
    expect((await deleting('a.txt', '--approval', id)).code).toBe(0);
    expect((await deleting('a.txt', '--approval', id)).code).toBe(3);
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(false);
    expect(existsSync(join(project.folder, 'b.txt'))).toBe(true);
  });
});

describe('a store that cannot be opened', () => {
  it('stops every call, and the error says so', async () => {
    const project = createQuickProject();
    mkdirSync(join(project.folder, '.toolcrib/state.db'), { recursive: true });
    const ended = await project.run(['run', 'write_file', 'path=a.txt', 'content=x', '--json']);
    expect([ended.code, ended.json<ToolResult>().error?.code]).toEqual([1, 'STORE_UNAVAILABLE']);
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(false);
    const doctor = await project.run(['doctor']);
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/✗ store /)]);
  });
});

describe('toolcrib audit', () => {
  it('lists every call with what became of it, refused ones included', async () => {
    const project = createQuickProject();
    const id = await write(project, 'x');
    await project.run(['run', 'nonsense']);
    await project.run(['run', 'calculator', 'expression=1', '--user', 'ada']);
    const { calls } = (await project.run(['audit', '--json'])).json<ListedCalls>();
    expect(calls.map(({ tool, status, effect }) => [tool, status, effect])).toEqual([
      ['calculator', 'success', 'none'],
      ['nonsense', 'failure', 'none'],
      ['write_file', 'success', 'done'],
    ]);
    expect(calls[0]?.userId).toBe('ada');
    const human = await project.run(['audit', 'list']);
    expect(human.out).toContain(id);
    expect(human.out).toMatch(/write_file +write +local +success +done/);
    await project.run(['undo', id, '--yes']);
    const after = await project.run(['audit', 'list', '--tool', 'write_file', '--json']);
    expect(after.json<ListedCalls>().calls[0]?.effect).toBe('undone');
  });

  it('filters the calls and lists them page by page', async () => {
    const project = createQuickProject();
    for (const expression of ['1', '2', '3']) {
      await project.run(['run', 'calculator', `expression=${expression}`]);
    }
    const list = async (...args: readonly string[]) =>
      (await project.run(['audit', 'list', '--json', ...args])).json<ListedCalls>();
    const first = await list('--limit', '2');
    expect(first.calls).toHaveLength(2);
    const second = await list('--limit', '2', '--before', String(first.next));
    expect(second.calls).toHaveLength(1);
    expect(second.next).toBeNull();
    expect((await list('--status', 'denied')).calls).toEqual([]);
    expect((await list('--since', '1h')).calls).toHaveLength(3);
    expect((await list('--until', '1h')).calls).toHaveLength(0);
    expect((await project.run(['audit', 'list', '--status', 'gone'])).code).toBe(2);
  });

  it('shows one call as a timeline', async () => {
    const project = createQuickProject();
    const id = await write(project, 'x');
    const human = await project.run(['audit', 'show', id]);
    expect(human.out).toMatch(/● .+ intent {2}started\n/);
    expect(human.out).toMatch(/● .+ outcome {2}success/);
    const machine = await project.run(['audit', 'show', id, '--json']);
    expect(machine.json()).toMatchObject({
      executionId: id,
      status: { effect: 'done' },
      rows: [{ kind: 'intent' }, { kind: 'outcome' }],
    });
    expect((await project.run(['audit', 'show', 'nobody'])).code).toBe(2);
  });

  it('verifies the record and finds a changed row', async () => {
    const project = createQuickProject();
    await write(project, 'x');
    await write(project, 'y');
    const sound = await project.run(['audit', 'verify']);
    expect(sound.code).toBe(0);
    const head = /head (\d+:[0-9a-f]{64})/.exec(sound.out)?.[1] ?? '';
    expect((await project.run(['audit', 'verify', '--expect', head])).code).toBe(0);
    const database = await openDatabase(join(project.folder, '.toolcrib/state.db'));
    const triggers = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers as { name: string }[]) database.exec(`DROP TRIGGER "${name}"`);
    database.exec("UPDATE audit SET user_id = 'mallory' WHERE seq = 2");
    database.close();
    const human = await project.run(['audit', 'verify']);
    expect([human.code, human.out]).toEqual([1, '']);
    expect(human.err).toContain('tampered with at row 2');
    const machine = await project.run(['audit', 'verify', '--json']);
    expect([machine.code, machine.json().ok]).toEqual([1, false]);
    const doctor = await project.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(/✗ audit/);
  });

  it('finds a cut-off end by a head noted before', async () => {
    const project = createQuickProject();
    await write(project, 'x');
    await write(project, 'y');
    const head = /head (\d+:[0-9a-f]{64})/.exec((await project.run(['audit', 'verify'])).out)?.[1];
    const database = await openDatabase(join(project.folder, '.toolcrib/state.db'));
    const triggers = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers as { name: string }[]) database.exec(`DROP TRIGGER "${name}"`);
    database.exec('DELETE FROM audit WHERE seq > 2');
    database.close();
    const ended = await project.run(['audit', 'verify', '--expect', head ?? '', '--json']);
    expect([ended.code, ended.json().ok]).toEqual([1, false]);
  });
});

describe('toolcrib doctor', () => {
  it('finds nothing wrong with an empty folder', async () => {
    const { code, out } = await createQuickProject().run(['doctor']);
    expect(code).toBe(0);
    for (const name of [
      'node',
      'sqlite',
      'ripgrep',
      'browser',
      'config',
      'trust',
      'workspace',
      'store',
      'model',
    ]) {
      expect(out).toMatch(new RegExp(`^[✓!] ${name} `, 'm'));
    }
    expect(out).toContain('Ready.');
  });

  it('names the place where the configuration is wrong', async () => {
    const project = createQuickProject();
    mkdirSync(join(project.folder, '.toolcrib'));
    writeFileSync(join(project.folder, '.toolcrib/config.yml'), 'budget:\n  dailyUsd: lots\n');
    const trusting = { env: { TOOLCRIB_TRUST: '1' } };
    const doctor = await project.run(['doctor', '--json'], trusting);
    expect(doctor.code).toBe(1);
    const { checks } = doctor.json<{
      checks: { name: string; state: string; message: string }[];
    }>();
    expect(checks.filter(({ state }) => state === 'broken')).toEqual([
      expect.objectContaining({
        name: 'config',
        message: expect.stringMatching(/config\.yml:2:\d+.*budget\.dailyUsd/),
      }),
    ]);
    const run = await project.run(['run', 'calculator', 'expression=1'], trusting);
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('budget.dailyUsd')]);
    const machine = await project.run(['tools', '--json'], trusting);
    expect(machine.json()).toMatchObject({ error: { code: 'CONFIG_INVALID' } });
  });
});
