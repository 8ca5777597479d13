/** `toolcrib shell`: with lines piped in, and at a real (pseudo) terminal. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/contract/audit.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { openTerminal, type TerminalSession } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ESC = '\u001b';
const PROMPT = 'toolcrib> ';
/** The prompt as the line editor draws it. */
const DRAWN = `${ESC}[1G${ESC}[0J${PROMPT}`;

const piped = (project: Project, ...lines: readonly string[]) =>
  project.run(['shell'], { input: `${lines.join('\n')}\n` });

const calls = async (project: Project): Promise<readonly AuditRow[]> =>
  (await project.run(['audit', 'list', '--json'])).json<{ calls: AuditRow[] }>().calls;

/** How often a text was shown. */
const count = (terminal: TerminalSession, text: string): number =>
  terminal.shown().split(text).length - 1;

/** Waits until a text was shown more than `before` times; fails when the program ends instead. */
const again = async (terminal: TerminalSession, text: string, before: number): Promise<void> => {
  let over = false;
  void terminal.ended().then(() => {
    over = true;
  });
  while (count(terminal, text) <= before) {
    if (over) throw new Error(`It ended instead:\n${terminal.shown()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Types a line and waits for the next prompt. */
const enter = async (terminal: TerminalSession, line: string): Promise<void> => {
  const before = count(terminal, DRAWN);
  terminal.type(`${line}\r`);
  await again(terminal, DRAWN, before);
};

describe('lines that are piped in', () => {
  it('calls tools by name, with pairs and with JSON over several lines', async () => {
    const project = createQuickProject();
    const { code, out } = await piped(
      project,
      `calculator expression='6 * 7'`,
      '# not a line',
      'calculator {"expression":',
      '  "1 + 1"}',
      'calculator \\',
      '  expression=3',
    );
    expect(code).toBe(0);
    expect(out.match(/"formatted": "\d+"/g)).toEqual(
      ['42', '2', '3'].map((value) => `"formatted": "${value}"`),
    );
    expect((await calls(project)).map(({ tool }) => tool)).toEqual(Array(3).fill('calculator'));
  });

  it('exits with the code of the last line that failed', async () => {
    const project = createQuickProject();
    const ok = 'calculator expression=1';
    expect((await piped(project, ok, 'hello there', ok)).code).toBe(1);
    expect((await piped(project, 'hello there', 'nobody x=1', ok)).code).toBe(2);
    expect((await piped(project, ok, '/quit', 'nobody x=1')).code).toBe(0);
  });

  it('leaves a call that needs an approval pending, and /approvals lists it', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'a.txt'), 'x');
    const { code, out, err } = await piped(
      project,
      'file_operations {"operation":"delete","path":"a.txt"}',
      '/approvals',
    );
    expect(code).toBe(5);
    expect(err).toContain("Waiting for a person's approval");
    expect(out).toContain('file_operations');
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(true);
    const [id] = /\b[\w-]{16,}\b/.exec(err.slice(err.indexOf('approvals approve'))) ?? [];
    const denied = await piped(project, `/approvals deny ${id}`, '/approvals');
    expect(denied.out).toContain('Denied: file_operations');
    expect(denied.code).toBe(0);
  });

  it('a tool does not read the lines that follow its call', async () => {
    const { out } = await piped(
      createQuickProject(),
      'validate_json',
      'validate_json -',
      'calculator expression=42',
    );
    expect(out).toContain('"formatted": "42"');
  });

  it('switches a tool off for the next line, and on again', async () => {
    const project = createQuickProject();
    const { out, err } = await piped(
      project,
      '/tools disable calculator',
      'calculator expression=1',
      '/tools enable calculator',
      'calculator expression=7',
    );
    expect(out).toMatch(/✓ Disabled tool: calculator \(-\d+ tokens\)/);
    expect(err).toContain('TOOL_DISABLED');
    expect(out).toMatch(/✓ Enabled tool: calculator \(\+\d+ tokens\)/);
    expect(out).toContain('"formatted": "7"');
  });

  it('/undo reverts a change, and /usage and /policy explain answer', async () => {
    const project = createQuickProject();
    await piped(project, 'write_file path=a.txt content=x');
    const [row] = await calls(project);
    const { out, code } = await piped(
      project,
      `/undo ${row?.executionId} --yes`,
      '/usage',
      '/policy explain write_file path=b.txt content=x',
    );
    expect(code).toBe(0);
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(false);
    expect(out).toContain('write_file');
    expect(out).toContain('tier-2-write');
  });

  it('prints one document a line with --json', async () => {
    const { out, err } = await createQuickProject().run(['shell', '--json'], {
      input: 'calculator expression=2\n/tols\nhello there\n/usage\n',
    });
    expect(err).toBe('');
    const documents = JSON.parse(`[${out.trim().replaceAll(/^\}\n\{/gm, '},{')}]`) as ToolResult[];
    expect(documents).toHaveLength(4);
    expect(documents[0]).toMatchObject({ success: true, data: { result: 2 } });
    expect(documents[1]).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
    expect(documents[2]).toMatchObject({ success: false, error: { code: 'MODEL_NOT_CONFIGURED' } });
  });

  it('a message without a model is answered with how to configure one, and with matching tools', async () => {
    const { code, err } = await piped(createQuickProject(), 'evaluate a mathematical expression');
    expect(code).toBe(1);
    expect(err).toContain('MODEL_NOT_CONFIGURED');
    expect(err).toContain('model:');
    expect(err).toContain('calculator {');
  });

  it('commands that would replace the shell are not among its commands', async () => {
    const { code, err } = await piped(createQuickProject(), '/mcp', '/shell', '/serve', '/init');
    expect(code).toBe(2);
    expect(err.match(/no such command/g)).toHaveLength(4);
  });
});

describe('/tools', () => {
  it('shows the page: marks, badges, tokens, the sum and what else there is', async () => {
    const { out } = await piped(createQuickProject(), '/tools');
    const lines = out.split('\n');
    expect(lines.slice(0, 2)).toEqual(['Available Tools:', '']);
    const tools = lines.filter((line) => line.startsWith('✓'));
    for (const line of tools) expect(line).toMatch(/^✓ \S{1,} +\[Built-in\] {3}~\d+ tokens$/);
    const sum = tools.reduce((all, line) => all + Number(/~(\d+)/.exec(line)?.[1]), 0);
    expect(out).toContain(`\n\nTotal system prompt cost: ~${sum} tokens\n\nUsage:\n`);
    expect(out).toContain('  /tools enable <name>   - Enable a tool\n');
    expect(out).toContain('  /tools disable <name>  - Disable a tool\n');
    expect(out).toContain('  /tools info <name>     - Show tool details\n');
    expect(out).toContain('  /tools tokens          - Show token breakdown\n');
  });

  it.each(['info calculator', 'search "read a file"', 'tokens', 'lock', 'verify', 'list --json'])(
    '%s prints the same as the command line',
    async (words) => {
      const project = createQuickProject();
      const inside = await piped(project, `/tools ${words}`);
      const args = words.replaceAll('"', '').split(' ');
      const outside = await project.run(
        words.startsWith('search') ? ['tools', 'search', 'read a file'] : ['tools', ...args],
      );
      expect(inside.out).toBe(outside.out);
      expect(inside.code).toBe(outside.code);
    },
  );
});

describe('at a terminal', () => {
  const open = async (project: Project, env: Readonly<Record<string, string>> = {}) => {
    const terminal = openTerminal(project, ['shell'], { env: { NO_COLOR: '1', ...env } });
    await terminal.waitFor(PROMPT);
    return terminal;
  };

  it('completes names and fields, runs the call, and exits with 0 at Ctrl-D', async () => {
    const terminal = await open(createQuickProject());
    terminal.type('calcu\t');
    await terminal.waitFor('calculator ');
    terminal.type('expr\t');
    await terminal.waitFor('expression=');
    await enter(terminal, '6*7');
    expect(terminal.shown()).toContain('"formatted": "42"');
    await enter(terminal, 'nobody x=1');
    terminal.type(CTRL_D);
    expect(await terminal.ended()).toBe(0);
    // Cursor movements are no colour.
    expect(
      terminal
        .shown()
        .split(ESC)
        .some((part) => /^\[[\d;]*m/.test(part)),
    ).toBe(false);
  });

  it('asks for an approval in place, and does not run the answer as a line', async () => {
    const project = createQuickProject();
    const file = join(project.folder, 'keep.txt');
    writeFileSync(file, 'x');
    const terminal = await open(project);
    terminal.type('file_operations operation=delete path=keep.txt\r');
    await terminal.waitFor('Approve this call?');
    expect(existsSync(file)).toBe(true);
    const before = count(terminal, DRAWN);
    terminal.type('y\n');
    await again(terminal, DRAWN, before);
    expect(existsSync(file)).toBe(false);
    expect(terminal.shown()).not.toContain('MODEL_NOT_CONFIGURED');
    terminal.type(CTRL_D);
    expect(await terminal.ended()).toBe(0);
  });

  it('runs pasted lines one after the other', async () => {
    const project = createQuickProject();
    const terminal = await open(project);
    terminal.type('calculator expression=11\rcalculator expression=22\rcalculator expr');
    await terminal.waitFor('"formatted": "22"');
    terminal.type('ession=33\r');
    await terminal.waitFor('"formatted": "33"');
    expect(terminal.shown()).toContain('"formatted": "11"');
    terminal.type('/quit\r');
    expect(await terminal.ended()).toBe(0);
  });

  it('Ctrl-C cancels the running call and the shell continues; twice at the prompt it exits', async () => {
    let asked = 0;
    const silent = createServer(() => {
      asked += 1;
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const terminal = await open(createQuickProject(), {
      TOOLCRIB_EGRESS_ALLOW_PRIVATE: '127.0.0.1',
    });
    terminal.type(`rest_api_call method=GET url=http://127.0.0.1:${port}/ --yes\r`);
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const running = count(terminal, DRAWN);
    terminal.type(CTRL_C);
    await terminal.waitFor('Cancelling');
    await terminal.waitFor('CANCELLED');
    await again(terminal, DRAWN, running);
    await enter(terminal, 'calculator expression=5');
    expect(terminal.shown()).toContain('"formatted": "5"');
    for (const typed of [`half a line${CTRL_C}`, CTRL_C]) {
      const before = count(terminal, DRAWN);
      terminal.type(typed);
      await again(terminal, DRAWN, before);
    }
    expect(terminal.shown()).toContain('Ctrl-C again');
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(0);
    silent.closeAllConnections();
    silent.close();
  });

  it('Ctrl-D at a question means no, and exits', async () => {
    const project = createQuickProject();
    const file = join(project.folder, 'keep.txt');
    writeFileSync(file, 'x');
    const terminal = await open(project);
    terminal.type('file_operations operation=delete path=keep.txt\r');
    await terminal.waitFor('Approve this call?');
    terminal.type(CTRL_D);
    expect(await terminal.ended()).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  it('keeps a history that only its owner can read, without lines that look like a secret', async () => {
    const project = createQuickProject();
    const first = await open(project);
    await enter(first, 'calculator expression=123');
    await enter(first, 'rest_api_call url=https://x.test password=hunter2 --dry-run');
    await enter(first, 'text_transform text=sk-live-0123456789abcdef operation=uppercase');
    await enter(first, ' calculator expression=456');
    first.type(CTRL_D);
    await first.ended();
    const file = join(project.home, '.config', 'toolcrib', 'shell-history');
    expect(readFileSync(file, 'utf8')).toBe('calculator expression=123\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await open(project);
    second.type(`${ESC}[A\r`);
    await second.waitFor('"formatted": "123"');
    second.type('/quit\r');
    await second.ended();
  });
});
