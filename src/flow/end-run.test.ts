import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { FlowRun, Flows, JournalStep } from '../contract/flow-store.ts';
import { MemoryFlows } from '../stores/memory/memory-flows.ts';
import { endRun } from './end-run.ts';

const NOW = 1_000_000;

const RUN: FlowRun = {
  id: 'run-1',
  epoch: 1,
  flow: 'report',
  version: '1.0.0',
  input: {},
  status: 'running',
  caller: LOCAL_CALLER,
  createdAt: NOW,
  updatedAt: NOW,
};

const UNDO: JournalStep = {
  key: 'undo:a',
  kind: 'undo',
  name: 'call-1',
  digest: 'd',
  state: 'open',
  startedAt: NOW,
};

const depsOf = (flows: Pick<Flows, 'change' | 'get' | 'steps'>) => ({
  flows,
  runtime: { now: () => NOW },
  flush: async () => undefined,
  drop: () => undefined,
  ended: async () => undefined,
  withdraw: async () => undefined,
});

/** Begins the undo of the run after its steps were read for the nth time. */
const undoingAfter = (flows: Flows, reads: number) => {
  let count = 0;
  return {
    change: flows.change.bind(flows),
    get: flows.get.bind(flows),
    steps: async (runId: string) => {
      const steps = await flows.steps(runId);
      count += 1;
      if (count === reads) await flows.record(RUN, [UNDO]);
      return steps;
    },
  };
};

describe('the cancel of a run that a process works on', () => {
  it('leaves an undo that begins meanwhile, and makes the run due so that it goes on', async () => {
    const flows = new MemoryFlows();
    await flows.create(RUN);
    expect(await endRun('run-1', depsOf(undoingAfter(flows, 2)))).toBe('undoing');
    const due = await flows.claim({ now: NOW, flows: new Set(['report@1.0.0']), limit: 1 });
    expect(due).toMatchObject([{ id: 'run-1' }]);
  });

  it('leaves an undo that nobody is at for the moment, however often it is cancelled', async () => {
    const flows = new MemoryFlows();
    await flows.create(RUN);
    expect(await endRun('run-1', depsOf(undoingAfter(flows, 2)))).toBe('undoing');
    expect(await endRun('run-1', depsOf(flows))).toBe('undoing');
    await flows.change('run-1', { status: 'waiting', updatedAt: NOW, waitsFor: ['key'] });
    expect(await endRun('run-1', depsOf(flows))).toBe('undoing');
    await flows.change('run-1', { status: 'waiting', updatedAt: NOW, waitsFor: ['approval:1'] });
    expect(await endRun('run-1', depsOf(flows))).toBe('cancelled');
  });

  it('leaves an undo in whose middle its process was killed', async () => {
    const flows = new MemoryFlows();
    // No process owns it, as if that were dead.
    await flows.create(RUN, { steps: [UNDO], isReleased: true });
    expect(await endRun('run-1', depsOf(flows))).toBe('undoing');
    expect(await flows.get('run-1')).toMatchObject({ status: 'running' });
  });

  it('refuses an undo that would begin once the run is taken from its process', async () => {
    const flows = new MemoryFlows();
    await flows.create(RUN);
    const undo = endRun('run-1', depsOf(undoingAfter(flows, 3)));
    await expect(undo).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await flows.steps('run-1')).toEqual([]);
  });

  it('whose canceller died after it took the run goes on ten seconds later', async () => {
    const flows = new MemoryFlows();
    await flows.create(RUN);
    const { change, get } = undoingAfter(flows, 0);
    let count = 0;
    const steps = async (runId: string) => {
      count += 1;
      if (count === 3) throw new Error('killed');
      return flows.steps(runId);
    };
    await expect(endRun('run-1', depsOf({ change, get, steps }))).rejects.toThrow('killed');
    const claim = { flows: new Set(['report@1.0.0']), limit: 1 };
    expect(await flows.claim({ ...claim, now: NOW })).toEqual([]);
    expect(await flows.claim({ ...claim, now: NOW + 10_000 })).toHaveLength(1);
  });

  it('cancels it where nothing is undone', async () => {
    const flows = new MemoryFlows();
    await flows.create(RUN);
    expect(await endRun('run-1', depsOf(flows))).toBe('cancelled');
    expect(await flows.get('run-1')).toMatchObject({ status: 'cancelled', epoch: 3 });
    expect(await endRun('run-1', depsOf(flows))).toBe('over');
  });
});
