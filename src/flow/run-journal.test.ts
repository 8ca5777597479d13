import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { FlowRun, JournalStep } from '../contract/flow-store.ts';
import { RunJournal } from './run-journal.ts';

const run: FlowRun = {
  id: 'run',
  epoch: 1,
  flow: 'flow',
  version: '1.0.0',
  input: null,
  status: 'running',
  caller: LOCAL_CALLER,
  createdAt: 1,
  updatedAt: 1,
};
const stepOf = (key: string): JournalStep => ({
  key,
  kind: 'call',
  name: 'tool',
  digest: '',
  state: 'done',
  startedAt: 1,
});

/** A journal whose store writes nothing before `release` is called. */
const journalOfSlowStore = () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const journal = new RunJournal({
    run,
    isNew: true,
    seals: { isOn: false, seal: () => '', isOurs: () => true, isRunOurs: async () => true },
    runtime: { after: () => ({ cancel: () => undefined, keepAlive: () => undefined }) },
    flows: {
      create: () => gate.then(() => true),
      record: () => gate,
      release: () => gate.then(() => run),
    },
  });
  return { journal, release: () => release() };
};

/** A journal that notes what it writes, and a clock that goes on by one pause at a time. */
const journalOnClock = () => {
  const writes: string[] = [];
  const waiting = new Set<() => void>();
  const keysOf = (steps: readonly JournalStep[] = []) => steps.map(({ key }) => key).join();
  const journal = new RunJournal({
    run,
    isNew: true,
    seals: { isOn: false, seal: () => '', isOurs: () => true, isRunOurs: async () => true },
    runtime: {
      after: (_ms, callback) => {
        waiting.add(callback);
        return { cancel: () => waiting.delete(callback), keepAlive: () => undefined };
      },
    },
    flows: {
      create: async (_run, { steps, isReleased = false } = {}) => {
        writes.push(`${isReleased ? 'whole run' : 'create'} ${keysOf(steps)}`);
        return true;
      },
      record: async (_claim, steps) => void writes.push(`record ${keysOf(steps)}`),
      release: async (_claim, _change, { steps } = {}) => {
        writes.push(`release ${keysOf(steps)}`);
        return run;
      },
    },
  });
  const pause = async (): Promise<void> => {
    for (const callback of [...waiting]) {
      waiting.delete(callback);
      callback();
    }
    await nextTurn();
    await nextTurn();
  };
  return { journal, writes, pause };
};
const completed = { status: 'completed', updatedAt: 2 } as const;

describe('the journal of a run', () => {
  it('writes the run after one pause when no step has ended', async () => {
    const { journal, writes, pause } = journalOnClock();
    journal.writeSoon();
    await pause();
    expect(writes).toEqual(['create ']);
  });

  it('writes a run whose steps go on ending once, when it is over', async () => {
    const { journal, writes, pause } = journalOnClock();
    journal.writeSoon();
    for (const key of ['1', '2', '3']) {
      journal.add(stepOf(key));
      await pause();
    }
    await journal.release(completed);
    await pause();
    expect(writes).toEqual(['whole run 1,2,3']);
  });

  it('writes steps that go on ending after five pauses at the latest', async () => {
    const { journal, writes, pause } = journalOnClock();
    journal.writeSoon();
    for (const key of ['1', '2', '3', '4', '5']) {
      journal.add(stepOf(key));
      await pause();
    }
    expect(writes).toEqual(['create 1,2,3,4,5']);
    journal.add(stepOf('6'));
    await journal.release(completed);
    expect(writes).toEqual(['create 1,2,3,4,5', 'release 6']);
  });

  it('takes a step for one of this pause that ends right after the clock of a busy process', async () => {
    const { journal, writes, pause } = journalOnClock();
    journal.writeSoon();
    // Runs before the look of the journal, as the end of a call does that was ready already.
    setImmediate(() => journal.add(stepOf('1')));
    await pause();
    expect(writes).toEqual([]);
    await pause();
    expect(writes).toEqual(['create 1']);
  });

  it('has everything on record when flush resolves, without a pause', async () => {
    const { journal, writes, pause } = journalOnClock();
    journal.add(stepOf('1'));
    await journal.flush();
    expect(writes).toEqual(['create 1']);
    journal.add(stepOf('2'));
    await journal.flush();
    await pause();
    expect(writes).toEqual(['create 1', 'record 2']);
  });

  it('shows steps as pending until their write is over, also while it waits for another', async () => {
    const { journal, release } = journalOfSlowStore();
    const keys = () => journal.pending().map(({ key }) => key);
    journal.add(stepOf('1'));
    const first = journal.flush();
    journal.add(stepOf('2'));
    const second = journal.flush();
    expect(keys()).toEqual(['1', '2']);
    release();
    await Promise.all([first, second]);
    expect(keys()).toEqual([]);
  });

  it('shows the last steps as pending while the end of the run is written', async () => {
    const { journal, release } = journalOfSlowStore();
    journal.add(stepOf('1'));
    const over = journal.release(completed);
    expect(journal.pending().map(({ key }) => key)).toEqual(['1']);
    release();
    await over;
    expect(journal.pending()).toEqual([]);
  });
});
