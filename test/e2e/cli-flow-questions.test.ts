/** Questions of runs on a terminal: which run they are of, put off, and answered after the person has left. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from './pseudo-terminal.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const SLOW = 120_000;
const ASK = `name: ask
version: 1.0.0
input: { type: object, properties: { topic: { type: string } }, required: [topic] }
steps:
  - { id: sure, approve: Go on? }
  - { id: sum, call: calculator, input: { expression: 1 + 1 } }
output: { from: steps.sum.data.result }
`;

const askProject = async (): Promise<Project> => {
  const project = createQuickProject();
  const folder = join(project.folder, '.toolcrib', 'flows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ask.yml'), ASK);
  await project.run(['trust', '--yes']);
  return project;
};

const waitingIds = async (project: Project): Promise<readonly string[]> => {
  const { out } = await project.run(['approvals', '--json']);
  return [...new Set(out.match(/approval_[\w-]+/g))];
};

/** Starts a run on a terminal, and leaves it with Ctrl-C while its question is on the screen. */
const leaveAtQuestion = async (project: Project, id: string): Promise<void> => {
  const terminal = openTerminal(project, ['flow', 'run', 'ask', 'topic=bees', '--id', id]);
  await terminal.waitFor('n = no');
  terminal.type('\u0003');
  expect(await terminal.ended(), terminal.shown()).toBe(4);
};

beforeAll(() => {
  createQuickProject();
}, 180_000);

describe('the question of a run on a terminal', { timeout: SLOW }, () => {
  it('that was left with Ctrl-C is on record, and its later answer continues the run', async () => {
    const project = await askProject();
    await leaveAtQuestion(project, 'left');
    const ids = await waitingIds(project);
    expect(ids).toHaveLength(1);
    const { run, steps } = await Promise.all([
      project.run(['flow', 'status', 'left', '--json']),
      project.run(['flow', 'steps', 'left', '--json']),
    ]).then(([status, listed]) => ({ run: status.json<object>(), steps: listed.out }));
    expect(run).toMatchObject({ status: 'waiting', waitsFor: [`approval:${ids[0]}`] });
    expect(steps).toContain(ids[0]);
    expect((await project.run(['approvals', 'approve', ids[0] ?? ''])).code).toBe(0);
    // By the built program, which has asked: its tools are others than those of the sources.
    const resumed = openTerminal(project, ['flow', 'resume', 'left']);
    expect(await resumed.ended(), resumed.shown()).toBe(0);
    expect(resumed.shown()).not.toContain('Approval needed');
  });

  it('is asked by no command that works on another run, and withdrawn when its run is cancelled', async () => {
    const project = await askProject();
    await leaveAtQuestion(project, 'other');
    const terminal = openTerminal(project, ['flow', 'run', 'ask', 'topic=ants', '--id', 'own']);
    await terminal.waitFor('n = no');
    terminal.type('y\n');
    expect(await terminal.ended(), terminal.shown()).toBe(0);
    expect(terminal.shown().split('Approval needed')).toHaveLength(2);
    const again = openTerminal(project, ['flow', 'resume', 'other']);
    await again.waitFor('n = no');
    again.type('\u0003');
    expect(await again.ended()).toBe(4);
    expect(await waitingIds(project)).toHaveLength(1);
    expect((await project.run(['flow', 'cancel', 'other'])).code).toBe(0);
    expect(await waitingIds(project)).toEqual([]);
  });

  it('that is put off is not asked again: the command ends with exit code 5', async () => {
    const project = await askProject();
    const terminal = openTerminal(project, ['flow', 'run', 'ask', 'topic=bees', '--id', 'later']);
    await terminal.waitFor('n = no');
    terminal.type('l\n');
    expect(await terminal.ended(), terminal.shown()).toBe(5);
    expect(terminal.shown().split('Approval needed')).toHaveLength(2);
    expect(terminal.shown()).toContain('toolcrib flow resume later');
  });
});
