/** A run whose process was killed in the middle of a call: what the commands advise, and that it can be followed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

/** Hangs at the first call and returns at once later. */
const MODULE = `import { existsSync, writeFileSync } from 'node:fs';
import { defineTool } from ${JSON.stringify(join(process.cwd(), 'dist/index.js'))};
export const book = defineTool({ name: 'book', description: 'Books.', tier: 'write', input: { type: 'object' },
  run: () => {
    if (existsSync('begun')) return { id: 2 };
    writeFileSync('begun', '');
    console.error('BEGUN');
    return new Promise(() => setInterval(() => undefined, 1000));
  } });
export const trip = { name: 'trip', version: '1.0.0', run: async (flow) => (await flow.call('book', {})).id };
`;

const killedRun = async (): Promise<Project> => {
  const project = createQuickProject();
  writeFileSync(join(project.folder, 'flows.mjs'), MODULE);
  const child = project.start(['flow', 'run', 'trip', '--id', 'one', '--module', 'flows.mjs']);
  child.stdin?.end();
  const gone = new Promise((resolve) => child.on('close', resolve));
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => String(chunk).includes('BEGUN') && resolve());
  });
  child.kill('SIGKILL');
  await gone;
  return project;
};

describe('a run with a call in doubt', { timeout: 120_000 }, () => {
  it('names the step and both commands, and goes on with what the call is said to have returned', async () => {
    const project = await killedRun();
    const resume = ['flow', 'resume', 'one', '--module', 'flows.mjs'];
    const blocked = await project.run(resume);
    expect(blocked.code).toBe(5);
    const status = await project.run(['flow', 'status', 'one']);
    for (const { err } of [blocked, status]) {
      expect(err).toContain('The call of book in step 1 is in doubt');
      expect(err).toContain('toolcrib flow resume one --done 1 --data');
      expect(err).toContain('toolcrib flow resume one --not-done 1');
      expect(err).not.toContain('new key');
    }
    expect((await project.run(['flow', 'runs'])).out).toMatch(/one .*a call in doubt: \S+/);
    const bare = await project.run([...resume, '--done', '1']);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('--done needs --data')]);
    const unknown = await project.run([
      'flow',
      'resume',
      'one',
      '--done',
      '1',
      '--data',
      '{"id":7}',
    ]);
    expect(unknown.err).toContain('Recorded: the call of step 1 took effect');
    expect(await project.run(resume)).toMatchObject({ code: 0, out: '7\n' });
  });
});
