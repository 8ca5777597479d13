/** `toolcrib top` in a pseudo terminal: draws, answers keys, follows other processes, restores the terminal. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

let project: Project;
beforeAll(async () => {
  project = createQuickProject();
  await project.run(['run', 'calculator', 'expression=6*7']);
}, 180_000);

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

  it('prints one frame where stdout is no terminal, and one snapshot with --json', async () => {
    const once = await project.run(['top']);
    expect([once.code, once.out]).toEqual([0, expect.stringContaining('toolcrib top')]);
    expect(once.out).not.toContain('\u001b');
    expect(once.out).not.toContain('q quit');
    const { tools } = (await project.run(['top', '--json'])).json<{ tools: { name: string }[] }>();
    expect(tools.map(({ name }) => name)).toContain('calculator');
  });

  it('a server needs an address and a token', async () => {
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
