import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { toolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import { FlowExecution } from './flow-execution.ts';
import type { StepEnd, TurnEnd } from './turn.ts';

const DOUBT: StepEnd = { state: 'blocked', waitsFor: 'call:1', error: toolError('CONFLICT') };

/** Runs a turn in which one step is blocked while another one is worked on. */
const blockedTurn = () => {
  const written: JournalStep[] = [];
  const made: string[] = [];
  const ends: TurnEnd[] = [];
  let endOther: (end: StepEnd) => void = () => undefined;
  const other = new Promise<StepEnd>((resolve) => {
    endOther = resolve;
  });
  const execution = new FlowExecution({
    steps: [],
    runtime: fakeRuntime(),
    journal: {
      add: (step) => void written.push(step),
      writeSoon: () => undefined,
      flush: async () => undefined,
    },
    lookAt: () => undefined,
  });
  const step = (name: string, work: () => Promise<StepEnd>) => {
    made.push(name);
    return execution.step({ kind: 'call', name, input: null, work });
  };
  const over = execution.run(async () => {
    const blocked = step('blocked', async () => DOUBT);
    const after = step('other', () => other).then(() => step('after', async () => DOUBT));
    await Promise.all([blocked, after]);
  });
  void over.then((end) => ends.push(end));
  return { over, ends, written, made, endOther };
};

/** Lets the turn do all that it can do without the other step. */
const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a run that is blocked while another of its steps makes a call', () => {
  it('has the end of that call on record before it is given up, so that its effect is not repeated', async () => {
    const { over, ends, written, endOther } = blockedTurn();
    await settled();
    expect(ends).toEqual([]);
    endOther({ state: 'done', value: 'sent' });
    expect(await over).toMatchObject({ type: 'blocked', waitsFor: 'call:1' });
    expect(written).toMatchObject([{ name: 'other', state: 'done', value: 'sent', position: 1 }]);
  });

  it('begins no further step', async () => {
    const { over, made, endOther } = blockedTurn();
    await settled();
    endOther({ state: 'done', value: 'sent' });
    await over;
    await settled();
    expect(made).toEqual(['blocked', 'other']);
  });
});
