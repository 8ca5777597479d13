/** What people who are new to the command line stumbled over. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../fixtures/needed-programs.ts';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import { createProject, type Project } from './run-toolcrib.ts';

beforeAll(() => {
  createQuickProject();
}, 180_000);

const MEMORY = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-memory/dist/index.js',
);
const noSandbox = isMissing('bwrap');

const pendingWrite = async (project: Project, path: string): Promise<string> => {
  const args = ['run', 'file_operations', JSON.stringify({ operation: 'delete', path }), '--json'];
  const { approval } = (await project.run(args)).json<{ approval: { approvalId: string } }>();
  return approval.approvalId;
};

const waiting = async (project: Project): Promise<readonly { id: string }[]> =>
  (await project.run(['approvals', '--json'])).json<readonly { id: string }[]>();

describe('exit codes', { timeout: 120_000 }, () => {
  it.each([
    ['run', 'nosuch'],
    ['audit', 'show', 'nosuch'],
    ['approvals', 'show', 'nosuch'],
    ['undo', 'nosuch', '--yes'],
    ['servers', 'test', 'nosuch'],
    ['permissions', 'revoke', 'nosuch'],
    ['tokens', 'revoke', 'nosuch'],
    ['help', 'nosuch'],
    ['help', 'tools', 'nosuch'],
    ['nosuch', '--help'],
  ])('are 2 for what does not exist: %s %s', async (...args) => {
    const ended = await createQuickProject().run(args.filter((arg) => arg !== undefined));
    expect(ended.code, ended.err).toBe(2);
  });

  it('of help are 0 where there is something to explain', async () => {
    const project = createQuickProject();
    for (const args of [['help'], ['help', 'run'], ['tools', '--tier', 'read_only', '--help']]) {
      expect((await project.run(args)).code, args.join(' ')).toBe(0);
    }
  });

  it.skipIf(noSandbox)('are 1 when the command that a tool ran failed', async () => {
    const project = createQuickProject();
    const env = { TOOLCRIB_COMMANDS_ALLOW: 'ls **' };
    const bash = (command: string) =>
      project.run(['run', 'bash_execution', JSON.stringify({ command }), '--yes'], { env });
    expect((await bash('ls .')).code).toBe(0);
    const failed = await bash('ls missing');
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('exit code')]);
  });
});

describe('what is typed nearly right', { timeout: 120_000 }, () => {
  it('gets the nearest command or option, and nothing far-fetched', async () => {
    const project = createQuickProject();
    expect((await project.run(['help', 'tols'])).err).toContain('Did you mean tools?');
    expect((await project.run(['run', 'x', '--dryrun'])).err).toContain('--dry-run');
    const far = await project.run(['audit', 'list', '--zzzzzz']);
    expect([far.code, far.err.includes('Did you mean')]).toEqual([2, false]);
  });
});

describe('approvals', { timeout: 120_000 }, () => {
  it('are found by a unique beginning of their id, and --reason is --note', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'a.txt'), 'a');
    const id = await pendingWrite(project, 'a.txt');
    const other = await pendingWrite(project, 'b.txt').catch(() => '');
    const short = [...id].findIndex((char, at) => char !== other[at]) + 5;
    const denied = await project.run(['approvals', 'deny', id.slice(0, short), '--reason', 'no']);
    expect([denied.code, denied.out]).toEqual([0, expect.stringMatching(/^✓ Denied/)]);
    expect((await project.run(['approvals', 'show', id])).out).toContain('noted: no');
    expect((await project.run(['approvals', 'show', id.slice(0, 2)])).code).toBe(2);
  });

  it('have links with an address, which `approvals redeem` accepts', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'a.txt'), 'a');
    const id = await pendingWrite(project, 'a.txt');
    const links = (await project.run(['approvals', 'link', id, '--json'])).json<{ deny: string }>();
    expect(links.deny).toMatch(/^http:\/\/127\.0\.0\.1:7420\/approve\/[^/]+$/);
    expect((await project.run(['approvals', 'redeem', links.deny])).code).toBe(0);
    expect(await waiting(project)).toEqual([]);
  });

  it('that wait are closed when the same call runs with --yes, and those of other calls are not', async () => {
    const project = createQuickProject();
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(project.folder, name), name);
    await pendingWrite(project, 'a.txt');
    const other = await pendingWrite(project, 'b.txt');
    const input = JSON.stringify({ operation: 'delete', path: 'a.txt' });
    expect((await project.run(['run', 'file_operations', input, '--yes'])).code).toBe(0);
    expect((await waiting(project)).map(({ id }) => id)).toEqual([other]);
    const last = await project.run(['undo', '--last', '--yes']);
    expect(last.out).toContain('restored a.txt');
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toBe('a.txt');
  });

  it('print one message at Ctrl-C', async () => {
    const project = createQuickProject();
    writeFileSync(join(project.folder, 'a.txt'), 'a');
    const input = JSON.stringify({ operation: 'delete', path: 'a.txt' });
    const terminal = openTerminal(project, ['run', 'file_operations', input]);
    await terminal.waitFor('Approve this call?');
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(4);
    const after = terminal.shown().split('Approve this call?').at(-1) ?? '';
    expect(after).not.toMatch(/Cancelling|No answer in time|Denied\./);
    expect(existsSync(join(project.folder, 'a.txt'))).toBe(true);
  });
});

describe('toolcrib console', { timeout: 120_000 }, () => {
  it('prints a fresh link that works once, and only when a server of the user runs', async () => {
    const project = createProject();
    const none = await project.run(['console']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('toolcrib serve')]);
    const serving = project.start(['serve', '--port', '0', '--json']);
    const started = await new Promise<string>((resolve) => {
      serving.stdout?.once('data', (chunk) => resolve(String(chunk)));
    });
    const { url } = JSON.parse(started) as { url: string };
    const { console: link } = (await project.run(['console', '--json'])).json<{
      console: string;
    }>();
    expect(link.startsWith(`${url}/#code=`)).toBe(true);
    const enter = async (): Promise<number> => {
      const body = JSON.stringify({ code: link.slice(link.indexOf('=') + 1) });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/v1/session`, { method: 'POST', headers, body })).status;
    };
    const first = await enter();
    expect([first < 300, (await enter()) >= 400]).toEqual([true, true]);
    const tokens = (await project.run(['tokens', '--json'])).out;
    expect(tokens).not.toMatch(/"state": "good"/);
    const ended = new Promise((resolve) => serving.once('close', resolve));
    serving.kill('SIGTERM');
    await ended;
    expect((await project.run(['console'])).code).toBe(2);
  });
});

describe('servers import --rewrite', { timeout: 120_000 }, () => {
  it('gives an editor only the tools of its own servers, and keeps TOOLCRIB_HOME', async () => {
    const project = createProject();
    mkdirSync(join(project.home, '.cursor'));
    const file = join(project.home, '.cursor/mcp.json');
    const memory = { command: process.execPath, args: [MEMORY] };
    writeFileSync(file, JSON.stringify({ mcpServers: { memory } }));
    const env = { TOOLCRIB_HOME: join(project.home, 'own') };
    const args = ['servers', 'import', '--from', 'cursor', '--rewrite', '--yes'];
    expect((await project.run(args, { env })).code).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
      mcpServers: { toolcrib: { args: string[]; env: Record<string, string> } };
    };
    const { toolcrib } = mcpServers;
    expect(toolcrib.args.slice(1)).toEqual(['mcp', '--client', 'cursor', '--servers', 'memory']);
    expect(toolcrib.env).toEqual(env);
    expect((await project.run(['tools', 'lock', '--accept-all', '--yes'], { env })).code).toBe(0);
    const lines = [
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      {
        id: 3,
        method: 'tools/call',
        params: { name: 'calculator', arguments: { expression: '1' } },
      },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const child = project.start(toolcrib.args.slice(1), { env });
    let out = '';
    const answered = new Promise<void>((resolve) => {
      child.stdout?.on('data', (chunk) => {
        out += String(chunk);
        if (out.includes('"id":2') && out.includes('"id":3') && out.endsWith('\n')) resolve();
      });
    });
    child.stdin?.write(`${lines.join('\n')}\n`);
    await answered;
    child.stdin?.end();
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const listed = answers
      .find(({ id }) => id === 2)
      .result.tools.map(({ name }: { name: string }) => name);
    expect(listed).toContain('read_graph');
    expect(listed).not.toContain('calculator');
    const call = answers.find(({ id }) => id === 3);
    expect(call.error ?? call.result.isError).toBeTruthy();
  });
});

describe('a search', { timeout: 120_000 }, () => {
  it('says which tools in quarantine it leaves out', async () => {
    const project = createQuickProject();
    await project.run(['servers', 'add', 'memory', '--', process.execPath, MEMORY]);
    await project.run(['servers', 'test', 'memory']);
    const search = await project.run(['tools', 'search', 'graph']);
    expect(search.err).toContain('In quarantine and left out:');
    expect(search.err).toContain('toolcrib tools accept');
  });
});

describe('completion', { timeout: 120_000 }, () => {
  it('offers values of options and ids in bash', async () => {
    const project = createQuickProject();
    const script = (await project.run(['completion', 'bash'])).out;
    expect(script).toContain('toolcrib completion ids approvals');
    expect(script).toMatch(/--surface\) COMPREPLY=\(\$\(compgen -W "full search code"/);
    execFileSync('bash', ['-n'], { input: script });
    writeFileSync(join(project.folder, 'a.txt'), 'a');
    const id = await pendingWrite(project, 'a.txt');
    expect((await project.run(['completion', 'ids', 'approvals'])).out).toBe(`${id}\n`);
    expect((await project.run(['completion', 'ids', 'nothing'])).out).toBe('');
  });
});
