import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { newCall } from '../new-call.ts';
import { SignalFollowers } from './signal-followers.ts';

const aCall = () =>
  newCall(
    { toolName: 't', rawInput: {}, as: undefined, parent: undefined },
    { runtime: fakeRuntime(), nextId: () => 'x' },
  );

const followers = new SignalFollowers();

const never = new Promise<never>(() => undefined);

it('an aborted signal cancels every running call that has it, and no other', async () => {
  const [mine, other] = [new AbortController(), new AbortController()];
  const [first, second, foreign, over] = [aCall(), aCall(), aCall(), aCall()];
  for (const call of [first, second]) void followers.follow(mine.signal, call.control, never);
  void followers.follow(other.signal, foreign.control, never);
  expect(await followers.follow(mine.signal, over.control, Promise.resolve(7))).toBe(7);
  mine.abort();
  expect([first, second, foreign, over].map(({ control }) => control.aborted)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('a call whose signal is already aborted is cancelled', () => {
  const call = aCall();
  void followers.follow(AbortSignal.abort(), call.control, never);
  expect(call.control.reason).toBe('CANCELLED');
});

it('a failure is passed on, and the signal is released anyway', async () => {
  const controller = new AbortController();
  const call = aCall();
  const failed = followers.follow(
    controller.signal,
    call.control,
    Promise.reject(new Error('mine')),
  );
  await expect(failed).rejects.toThrow('mine');
  controller.abort();
  expect(call.control.aborted).toBe(false);
});
