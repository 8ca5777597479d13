/** The command line on a real (pseudo) terminal: approvals, colour, interruption. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/contract/audit.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { openTerminal } from './pseudo-terminal.ts';
import { createProject, type Project } from './run-toolcrib.ts';

beforeAll(() => {
  createProject();
}, 180_000);

const ESC = '\u001b';
/** A file name that would erase the line it stands on and turn the rest around. */
const EVIL = `notes${ESC}[2K\u202etxt`;

const withFile = (name: string): Project => {
  const project = createProject();
  writeFileSync(join(project.folder, name), 'content');
  return project;
};

const deleting = (name: string): readonly string[] => [
  'run',
  'file_operations',
  JSON.stringify({ operation: 'delete', path: name }),
];

describe('approval on a terminal', () => {
  it('shows the exact call and runs it after a yes', async () => {
    const project = withFile('keep.txt');
    const terminal = openTerminal(project, deleting('keep.txt'));
    await terminal.waitFor('Approve this call?');
    for (const part of ['file_operations', 'write (changes', 'delete', 'path: "keep.txt"']) {
      expect(terminal.shown()).toContain(part);
    }
    expect(existsSync(join(project.folder, 'keep.txt'))).toBe(true);
    terminal.type('y\n');
    expect(await terminal.ended()).toBe(0);
    expect(existsSync(join(project.folder, 'keep.txt'))).toBe(false);
    const rows = (await project.run(['audit', 'list', '--json'])).json<{ calls: AuditRow[] }>();
    expect(JSON.stringify(rows.calls[0]?.detail)).toContain('local (terminal)');
  });

  it.each([
    ['n\n', 3, /denied/],
    ['\n', 3, /denied/],
    ['\u0004', 3, /denied/],
    ['l\n', 5, /pending/],
    ['\u0003', 4, /denied|cancelled/],
  ] as const)(
    'the answer %j leaves the file unchanged and exits with %d',
    async (typed, exit, status) => {
      const project = withFile('keep.txt');
      const terminal = openTerminal(project, deleting('keep.txt'));
      await terminal.waitFor('Approve this call?');
      terminal.type(typed);
      expect(await terminal.ended()).toBe(exit);
      expect(existsSync(join(project.folder, 'keep.txt'))).toBe(true);
      const rows = (await project.run(['audit', 'list', '--json'])).json<{ calls: AuditRow[] }>();
      expect(rows.calls[0]?.status).toMatch(status);
    },
  );

  it('shows hostile characters escaped, whatever they would do', async () => {
    const project = createProject();
    const terminal = openTerminal(project, [...deleting(EVIL), '--quiet'], {
      env: { NO_COLOR: '1' },
    });
    const ended = terminal.ended();
    // The call may be refused before anybody is asked.
    await Promise.race([terminal.waitFor('Approve this call?').catch(() => undefined), ended]);
    terminal.type('n\n');
    await ended;
    expect(terminal.shown()).not.toContain('\u202e');
    expect(terminal.shown()).not.toContain(ESC);
  });

  it('shows hostile characters escaped in the question itself', async () => {
    const project = createProject();
    const content = `first line\n${'\n'.repeat(60)}second${ESC}[2J\u202e\u200b\u{e0041} line`;
    writeFileSync(join(project.folder, 'keep.txt'), 'content');
    const args = ['operation=delete', 'path=keep.txt', `content=${content}`, '--quiet'];
    const terminal = openTerminal(project, ['run', 'file_operations', ...args], {
      env: { NO_COLOR: '1' },
    });
    await terminal.waitFor('Approve this call?');
    terminal.type('n\n');
    await terminal.ended();
    expect(terminal.shown()).toContain('⟨60 blank lines⟩');
    expect(terminal.shown()).toContain('second␛[2J\\u202e\\u200b\\u{e0041} line');
    expect(terminal.shown()).not.toContain(ESC);
  });

  it('with --json the question is on the terminal, and the result is the one document', async () => {
    const project = withFile('keep.txt');
    const out = join(project.folder, 'out.json');
    const terminal = openTerminal({ ...project, cli: '-e', env: { ...project.env, OUT: out } }, [
      `const {spawnSync}=require('child_process'),fs=require('fs');` +
        `const r=spawnSync(process.execPath,${JSON.stringify([project.cli, ...deleting('keep.txt'), '--json'])},` +
        `{stdio:['inherit',fs.openSync(process.env.OUT,'w'),'inherit']});process.exit(r.status)`,
    ]);
    await terminal.waitFor('Approve this call?');
    terminal.type('y\n');
    expect(await terminal.ended()).toBe(0);
    expect((JSON.parse(readFileSync(out, 'utf8')) as ToolResult).success).toBe(true);
  });
});

describe('undo on a terminal', () => {
  it('asks, and accepts only yes', async () => {
    const project = createProject();
    const file = join(project.folder, 'a.txt');
    const written = await project.run(['run', 'write_file', 'path=a.txt', 'content=x', '--json']);
    const id = written.json<ToolResult>().metadata.executionId;
    const refusing = openTerminal(project, ['undo', id]);
    await refusing.waitFor('Undo this?');
    refusing.type('\n');
    expect(await refusing.ended()).toBe(3);
    expect(existsSync(file)).toBe(true);
    const agreeing = openTerminal(project, ['undo', id]);
    await agreeing.waitFor('Undo this?');
    agreeing.type('y\n');
    expect(await agreeing.ended()).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe('colour', () => {
  const shownWith = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const terminal = openTerminal(createProject(), args.length > 0 ? args : ['tools'], { env });
    await terminal.ended();
    return terminal.shown();
  };

  it('is used on a terminal, but not with NO_COLOR or --no-color', async () => {
    expect(await shownWith({})).toContain(`${ESC}[`);
    expect(await shownWith({ NO_COLOR: '1' })).not.toContain(ESC);
    expect(await shownWith({}, '--no-color', 'tools')).not.toContain(ESC);
  });

  it('is not used in a pipe unless forced', async () => {
    const project = createProject();
    expect((await project.run(['tools'])).out).not.toContain(ESC);
    const forced = await project.run(['tools'], { env: { FORCE_COLOR: '1' } });
    expect(forced.out).toContain(`${ESC}[`);
  });
});
