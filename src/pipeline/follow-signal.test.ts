import { expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { followSignal } from './follow-signal.ts';
import { newCall } from './new-call.ts';

const aCall = () =>
  newCall(
    { toolName: 't', rawInput: {}, as: undefined, parent: undefined },
    { runtime: fakeRuntime(), nextId: () => 'x' },
  );

const never = new Promise<never>(() => undefined);

it('cancels every call under way that has the signal, and no other', async () => {
  const [mine, other] = [new AbortController(), new AbortController()];
  const [first, second, foreign, over] = [aCall(), aCall(), aCall(), aCall()];
  for (const call of [first, second]) void followSignal(mine.signal, call.control, never);
  void followSignal(other.signal, foreign.control, never);
  expect(await followSignal(mine.signal, over.control, Promise.resolve(7))).toBe(7);
  mine.abort();
  expect([first, second, foreign, over].map(({ control }) => control.aborted)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('cancels a call whose signal is aborted already', () => {
  const call = aCall();
  void followSignal(AbortSignal.abort(), call.control, never);
  expect(call.control.reason).toBe('CANCELLED');
});

it('hands a failure on, and lets go of the signal all the same', async () => {
  const controller = new AbortController();
  const call = aCall();
  const failed = followSignal(controller.signal, call.control, Promise.reject(new Error('mine')));
  await expect(failed).rejects.toThrow('mine');
  controller.abort();
  expect(call.control.aborted).toBe(false);
});
