/** `toolcrib top` in a pseudo terminal: draws, answers keys, follows other processes, restores the terminal. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { freePort } from '../fixtures/free-port.ts';
import { type Ends, startServer } from './alert-receiver.ts';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

let project: Project;
beforeAll(async () => {
  project = createQuickProject();
  await project.run(['run', 'calculator', 'expression=6*7']);
}, 180_000);

const ends: Ends = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const ESCAPE = '\u001b[';

/** The lines that were written since the screen was last cleared, by their number. */
const lastFrame = (shown: string): ReadonlyMap<number, string> => {
  const lines = new Map<number, string>();
  let row = 0;
  for (const piece of shown.slice(shown.lastIndexOf(`${ESCAPE}2J`)).split(ESCAPE)) {
    const place = /^(\d+);1H/.exec(piece);
    if (place) {
      row = Number(place[1]);
      lines.set(row, piece.slice(place[0].length));
    } else lines.set(row, `${lines.get(row) ?? ''}${ESCAPE}${piece}`);
  }
  lines.delete(0);
  return new Map([...lines].map(([at, text]) => [at, stripVTControlCharacters(text)]));
};

const RESTORED = '\u001b[?7h\u001b[?25h\u001b[?1049l';

describe('toolcrib top', { timeout: 120_000 }, () => {
  it('shows a call of another process without being asked, pauses, helps, and quits with q', async () => {
    const top = openTerminal(project, ['top', '--interval', '0.5']);
    await top.waitFor('calculator');
    await project.run(['run', 'read_file', 'path=missing.txt']);
    await top.waitFor('read_file');
    top.type('?');
    await top.waitFor('pause and go on');
    top.type('?p');
    await top.waitFor('paused');
    top.type('q');
    expect(await top.ended()).toBe(0);
    expect(top.shown().endsWith(RESTORED)).toBe(true);
  });

  it('restores the terminal on Ctrl-C', async () => {
    const top = openTerminal(project, ['top']);
    await top.waitFor('calculator');
    top.type('\u0003');
    expect(await top.ended()).toBe(0);
    expect(top.shown()).toContain(RESTORED);
  });

  it.skipIf(process.platform !== 'linux')(
    'redraws in the new size when the terminal is resized',
    async () => {
      const top = openTerminal(project, ['top', '--interval', '0.5']);
      await top.waitFor('calculator');
      for (const [columns, rows] of [
        [80, 24],
        [40, 12],
        [120, 40],
      ] as const) {
        top.resize(columns, rows);
        await eventually(() => expect([...lastFrame(top.shown()).keys()].at(-1)).toBe(rows));
        const lines = [...lastFrame(top.shown()).values()];
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
        expect(lines.some((line) => line.startsWith('calculator'))).toBe(true);
      }
      top.type('q');
      expect(await top.ended()).toBe(0);
    },
  );

  it('continues with the store when the server of the folder ends', async () => {
    const own = createQuickProject();
    await own.run(['run', 'calculator', 'expression=6*7']);
    const server = await startServer(own, ends);
    const top = openTerminal(own, ['top', '--interval', '0.5']);
    await top.waitFor(server.url);
    await server.stop('SIGKILL');
    await top.waitFor('does not answer');
    await own.run(['run', 'read_file', 'path=missing.txt']);
    await top.waitFor('read_file');
    top.type('q');
    expect(await top.ended()).toBe(0);
  });

  it('reports that a named server does not answer, and shows it again when it is back', async () => {
    const own = createQuickProject();
    const port = await freePort();
    const token = (await own.run(['tokens', 'create', 'top', '--role', 'viewer'])).out.trim();
    const first = await startServer(own, ends, port);
    const args = ['top', '--interval', '0.5', '--server', first.url];
    const top = openTerminal(own, args, { env: { TOOLCRIB_TOKEN: token } });
    await top.waitFor('no calls yet');
    await first.stop('SIGTERM');
    await top.waitFor('cannot read');
    await startServer(own, ends, port);
    await own.run(['run', 'calculator', 'expression=6*7']);
    await top.waitFor('calculator');
    top.type('q');
    expect(await top.ended()).toBe(0);
  });

  it('prints one frame when stdout is no terminal, and one snapshot with --json', async () => {
    const once = await project.run(['top']);
    expect([once.code, once.out]).toEqual([0, expect.stringContaining('toolcrib top')]);
    expect(once.out).not.toContain('\u001b');
    expect(once.out).not.toContain('q quit');
    const { tools } = (await project.run(['top', '--json'])).json<{ tools: { name: string }[] }>();
    expect(tools.map(({ name }) => name)).toContain('calculator');
  });

  it('refuses a server without an address or a token', async () => {
    const missing = await project.run(['top', '--server', 'http://127.0.0.1:1']);
    expect(missing.err).toContain('TOOLCRIB_TOKEN');
    const env = { TOOLCRIB_TOKEN: 'tc_x' };
    const gone = await project.run(['top', '--server', 'http://127.0.0.1:1'], { env });
    expect([gone.code === 0, gone.err]).toEqual([
      false,
      expect.stringContaining('does not answer'),
    ]);
    expect((await project.run(['top', '--server', 'ftp://x'])).err).toContain('--server takes');
  });
});
