import { expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import { ReplayStall } from './replay-stall.ts';

const STEP: JournalStep = {
  key: '2',
  kind: 'value',
  name: 'v',
  digest: 'd',
  state: 'done',
  startedAt: 0,
};

/** Watches for a step that the code never makes, and notes when the replay is blocked. */
const watch = () => {
  const runtime = fakeRuntime();
  const state = { isCodeOver: false, blocked: [] as number[] };
  const stall = new ReplayStall({
    runtime,
    stepsMade: () => 1,
    isSettled: () => false,
    isCodeOver: () => state.isCodeOver,
    continueRun: () => undefined,
    block: () => state.blocked.push(runtime.elapsed()),
  });
  stall.watch(STEP);
  return { runtime, state };
};

it('a branch that goes on after the code has ended has ten seconds, however long that took', async () => {
  const { runtime, state } = watch();
  await runtime.advance(59_000);
  state.isCodeOver = true;
  await runtime.advance(10_999);
  expect(state.blocked).toEqual([]);
  await runtime.advance(10_000);
  expect(state.blocked).toEqual([70_000]);
});

it('a branch that goes on is given up ten seconds after the code has ended before the watch', async () => {
  const { runtime, state } = watch();
  state.isCodeOver = true;
  await runtime.advance(30_000);
  expect(state.blocked).toEqual([20_000]);
});

it('code that makes no step has five minutes', async () => {
  const { runtime, state } = watch();
  await runtime.advance(400_000);
  expect(state.blocked).toEqual([300_000]);
});
