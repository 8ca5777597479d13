import { expect, it } from 'vitest';
import type { FlowRun } from '../contract/flow-store.ts';
import { RunWatchers } from './run-watchers.ts';

it('awaited runs of other processes are read side by side, those worked on here are not', async () => {
  const watchers = new RunWatchers();
  const ids = Array.from({ length: 20 }, (_, at) => `run-${at}`);
  const ends = ids.map((id) => watchers.wait(id));
  const read: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const get = async (id: string): Promise<FlowRun> => {
    read.push(id);
    await answered;
    return { id, status: 'completed' } as FlowRun;
  };
  const refreshed = watchers.refresh({ get }, (id) => id === 'run-0');
  await expect.poll(() => read).toHaveLength(19);
  answer();
  await refreshed;
  expect((await Promise.all(ends.slice(1))).map(({ id }) => id)).toEqual(ids.slice(1));
  expect(watchers.runs()).toEqual(['run-0']);
});
