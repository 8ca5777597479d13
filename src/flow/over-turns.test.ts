import { expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { FlowExecution } from './flow-execution.ts';
import type { StepEnd, StepRequest } from './turn.ts';

const PARKED: StepEnd = { state: 'parked', waitsFor: 'approval:1', step: { approvalId: '1' } };

/** Runs a turn whose only step is worked on when the turn is lost, and parks after that. */
const lostTurn = async (
  part: Partial<StepRequest>,
  meanwhile: (execution: FlowExecution) => void,
) => {
  const execution = new FlowExecution({
    steps: [],
    runtime: fakeRuntime(),
    journal: { add: () => undefined, writeSoon: () => undefined, flush: async () => undefined },
    lookAt: () => undefined,
  });
  let worked = 0;
  let park = (_end: StepEnd): void => undefined;
  const work = (): Promise<StepEnd> => {
    worked += 1;
    return new Promise((resolve) => {
      park = resolve;
    });
  };
  const over = execution.run(() =>
    execution.step({ kind: 'call', name: 'send', input: null, work, ...part }),
  );
  await expect.poll(() => worked).toBe(1);
  meanwhile(execution);
  execution.abandon(new Error('another process has the run'));
  park(PARKED);
  expect(await over).toMatchObject({ type: 'lost' });
  await new Promise((resolve) => setImmediate(resolve));
  return { worked };
};

it('a turn that is lost makes no call again whose answer came while it was made', async () => {
  const { worked } = await lostTurn({}, (execution) => execution.recheck('approval:1'));
  expect(worked).toBe(1);
});

it('a turn that is lost withdraws nothing of a step that was cancelled while it was worked on', async () => {
  const controller = new AbortController();
  let abandoned = 0;
  const abandon = async (): Promise<void> => {
    abandoned += 1;
  };
  await lostTurn({ signal: controller.signal, abandon }, () => controller.abort());
  expect(abandoned).toBe(0);
});
