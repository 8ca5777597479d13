import { describe, expect, it, vi } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { Connection } from './connect-server.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

const URI = 'note:///a';

const opened = () => {
  const asked: string[] = [];
  const answers: { readonly agree: () => void; readonly refuse: () => void }[] = [];
  const client = {
    getServerCapabilities: () => ({ resources: { subscribe: true } }),
    subscribeResource: () => {
      asked.push('subscribe');
      return new Promise<void>((resolve, reject) => {
        answers.push({ agree: resolve, refuse: () => reject(new Error('There is none.')) });
      });
    },
    unsubscribeResource: async () => void asked.push('unsubscribe'),
  };
  const connection = { client, isModern: false } as unknown as Connection;
  const subscriptions = new ResourceSubscriptions(1000, fakeRuntime());
  const add = (changed: () => void) => subscriptions.add(connection, URI, changed);
  return { asked, answers, subscriptions, add };
};

describe('two who subscribe to one resource at the same time', () => {
  it('both hear of changes, and it is asked for once, until both have stopped', async () => {
    const { asked, answers, subscriptions, add } = opened();
    const [first, second] = [vi.fn(), vi.fn()];
    const adding = [add(first), add(second)];
    answers[0]?.agree();
    const stops = await Promise.all(adding);
    subscriptions.updated(URI);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
    stops[0]?.();
    stops[0]?.();
    expect([asked, subscriptions.isEmpty]).toEqual([['subscribe'], false]);
    stops[1]?.();
    expect([asked, subscriptions.isEmpty]).toEqual([['subscribe', 'unsubscribe'], true]);
  });

  it('are both refused where the server refuses, and leave nothing behind', async () => {
    const { asked, answers, subscriptions, add } = opened();
    const adding = Promise.allSettled([add(vi.fn()), add(vi.fn())]);
    answers[0]?.refuse();
    expect((await adding).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(subscriptions.isEmpty).toBe(true);
    const again = add(vi.fn());
    answers[1]?.agree();
    await again;
    expect(asked).toEqual(['subscribe', 'subscribe']);
  });
});

it('one who subscribes again right after stopping is asked for after the end of the old one', async () => {
  const { asked, answers, add } = opened();
  const adding = add(vi.fn());
  answers[0]?.agree();
  (await adding)();
  const again = add(vi.fn());
  answers[1]?.agree();
  await again;
  expect(asked).toEqual(['subscribe', 'unsubscribe', 'subscribe']);
});
