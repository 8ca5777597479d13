import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { compileProgram } from '../../../../test/conformance/compile-program.ts';
import { expectGone, isAlive, withMark } from '../../../../test/fixtures/mcp-servers/processes.ts';
import { type ChildGroup, gateAt, startChildGroup } from './child-group.ts';
import { createWatchdog, MARK_VARIABLE } from './watchdog.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/mcp-servers');
const ODD = join(FIXTURES, 'odd-server.mjs');
const watchdog = createWatchdog(process.platform);
const { folder, program } = compileProgram(join(FIXTURES, 'host-program.ts'));

afterAll(async () => {
  watchdog.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (args: readonly string[], command = process.execPath): Promise<ChildGroup> =>
  startChildGroup({
    command,
    args,
    env: { PATH: process.env.PATH ?? '' },
    cwd: '/',
    mark: randomUUID(),
    platform: process.platform,
    watchdog,
  });

/** The server, a child of it, and a child that left its group. */
const askForChildren = async (child: ChildGroup): Promise<readonly number[]> => {
  const params = { name: 'children', arguments: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return pidsIn(line);
};

const pidsIn = (line: string): readonly number[] =>
  JSON.parse(JSON.parse(line).result.content[0].text);

describe('threat: orphans of an MCP server', () => {
  it('a server that is ended takes its children with it, also one that left its group', async () => {
    const child = await start([ODD]);
    const pids = await askForChildren(child);
    expect(pids).toHaveLength(3);
    expect(pids.every(isAlive)).toBe(true);
    await child.end(2000);
    await expectGone(pids);
  });

  it('a server that neither reads nor hears a gentle signal is killed', async () => {
    const child = await start([ODD, '--mode', 'hang']);
    await once(child.stderr, 'data');
    await child.end(200);
    expect(await child.ended).toMatch(/SIGKILL|SIGTERM/);
    await expectGone([child.pid]);
  });

  it('a server that dies leaves no children behind', async () => {
    const child = await start([ODD, '--stays']);
    const pids = await askForChildren(child);
    process.kill(child.pid, 'SIGKILL');
    expect(await child.ended).toBe('it was ended by SIGKILL');
    await expectGone(pids);
  });

  it('kill -9 of the host ends its servers, their children and those that left the group', async () => {
    const mark = randomUUID();
    const host = spawn(process.execPath, [program, ODD, mark], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: host.stdout }), 'line');
    const pids = pidsIn(line);
    expect(pids.filter(isAlive)).toHaveLength(3);
    host.kill('SIGKILL');
    await expectGone(pids);
    expect(await withMark(`${MARK_VARIABLE}=${mark}`)).toEqual([]);
  });

  it('a host killed before it could tell anybody leaves no server: the gate never opens', async () => {
    const child = spawn('/bin/sh', ['-c', gateAt(3), 'sh', 'echo', 'ran'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    child.stdio[3]?.destroy();
    expect(await once(child, 'exit')).toEqual([125, null]);
  });
});

describe('a server process', () => {
  it('says how it ended', async () => {
    expect(await (await start([ODD, '--mode', 'die'])).ended).toBe('it ended with exit code 3');
    expect(await (await start([], 'no-such-program-here')).ended).toBe('its program was not found');
  });

  it('takes its arguments as they are: nothing is read by a shell', async () => {
    const words = ['$(touch /tmp/pwned)', '; exit 1', 'a b', '*', '"'];
    const child = await start([
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      ...words,
    ]);
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(JSON.parse(line)).toEqual(words);
    await child.ended;
  });
});
