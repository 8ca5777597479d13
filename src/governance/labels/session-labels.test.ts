import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { NOTHING_SEEN } from '../../contract/policy.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { SessionLabels } from './session-labels.ts';

const NOW = 1000;
const ada = { ...LOCAL_CALLER, userId: 'ada', sessionId: 's1' };
const setUp = () => {
  const { memory } = createMemoryStore();
  const labels = () => new SessionLabels(memory, () => NOW);
  return { memory, labels };
};

describe('the labels of a session', () => {
  it('begin with nothing', async () => {
    const labels = setUp().labels();
    expect(labels.known(ada)).toBe(NOTHING_SEEN);
    expect(await labels.fresh(ada)).toEqual(NOTHING_SEEN);
  });

  it('are never removed', async () => {
    const labels = setUp().labels();
    await labels.absorb(ada, { trust: 'untrusted', sensitivity: 'public' });
    expect(labels.known(ada)).toEqual({ untrusted: true, sensitivity: 'public' });
    await labels.absorb(ada, { trust: 'trusted', sensitivity: 'secret' });
    await labels.absorb(ada, { trust: 'trusted', sensitivity: 'private' });
    expect(labels.known(ada)).toEqual({ untrusted: true, sensitivity: 'secret' });
  });

  it('write nothing for what the session carries already', async () => {
    const labels = setUp().labels();
    expect(labels.absorb(ada, { trust: 'trusted', sensitivity: 'public' })).toBeUndefined();
    await labels.absorb(ada, { trust: 'trusted', sensitivity: 'private' });
    expect(labels.absorb(ada, { trust: 'trusted', sensitivity: 'private' })).toBeUndefined();
  });

  it('are known to every process that serves the session, and none is lost', async () => {
    const { labels } = setUp();
    const [one, other] = [labels(), labels()];
    await Promise.all([
      one.absorb(ada, { trust: 'untrusted', sensitivity: 'public' }),
      other.absorb(ada, { trust: 'trusted', sensitivity: 'private' }),
    ]);
    expect(one.known(ada)).toEqual({ untrusted: true, sensitivity: 'public' });
    expect(await one.fresh(ada)).toEqual({ untrusted: true, sensitivity: 'private' });
    expect(await other.fresh(ada)).toEqual({ untrusted: true, sensitivity: 'private' });
    expect(one.known(ada)).toEqual({ untrusted: true, sensitivity: 'private' });
  });

  it('that could not be written are written with the next result', async () => {
    const { memory } = createMemoryStore();
    let isAway = true;
    const write: MemoryStore['write'] = async (item) => {
      if (isAway) throw new Error('away');
      return memory.write(item);
    };
    const failing = { read: memory.read.bind(memory), write } as MemoryStore;
    const one = new SessionLabels(failing, () => NOW);
    const untrusted = { trust: 'untrusted', sensitivity: 'public' } as const;
    await expect(one.absorb(ada, untrusted)).rejects.toThrow('away');
    isAway = false;
    await one.absorb(ada, untrusted);
    const other = new SessionLabels(memory, () => NOW);
    expect(await other.fresh(ada)).toEqual({ untrusted: true, sensitivity: 'public' });
  });

  it('that are still being written let later results of the session wait', async () => {
    const { memory } = createMemoryStore();
    const waiting: (() => void)[] = [];
    const write: MemoryStore['write'] = async (item) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return memory.write(item);
    };
    const slow = { read: memory.read.bind(memory), write } as MemoryStore;
    const one = new SessionLabels(slow, () => NOW);
    const both = { trust: 'untrusted', sensitivity: 'private' } as const;
    const first = one.absorb(ada, both);
    const second = one.absorb(ada, both);
    const third = one.absorb(ada, { trust: 'trusted', sensitivity: 'secret' });
    const fourth = one.absorb(ada, { trust: 'untrusted', sensitivity: 'secret' });
    for (const each of [second, third, fourth]) expect(each).toBeInstanceOf(Promise);
    for (const write of waiting) write();
    await Promise.all([first, second, third, fourth]);
    expect(one.absorb(ada, both)).toBeUndefined();
    const other = new SessionLabels(memory, () => NOW);
    expect(await other.fresh(ada)).toEqual({ untrusted: true, sensitivity: 'secret' });
  });

  it('that a result adds while the session is read are not lost', async () => {
    const { memory } = createMemoryStore();
    let added: Promise<void> | undefined;
    const read: MemoryStore['read'] = async (...item) => {
      const value = await memory.read(...item);
      added ??= one.absorb(ada, { trust: 'untrusted', sensitivity: 'public' });
      return value;
    };
    const one = new SessionLabels(
      { read, write: memory.write.bind(memory) } as MemoryStore,
      () => NOW,
    );
    await one.fresh(ada);
    await added;
    expect(one.known(ada)).toEqual({ untrusted: true, sensitivity: 'public' });
  });

  it.each([
    ['session', { sessionId: 's2' }],
    ['user', { userId: 'bob' }],
  ])('stay with their %s', async (_name, other) => {
    const labels = setUp().labels();
    await labels.absorb(ada, { trust: 'untrusted', sensitivity: 'secret' });
    expect(await labels.fresh({ ...ada, ...other })).toEqual(NOTHING_SEEN);
  });

  it('go with an authenticated caller into every session of its naming', async () => {
    const { labels } = setUp();
    const [one, other] = [labels(), labels()];
    const authenticated = { userId: 'ada', agentId: 'ada', sessionId: 'token:1' };
    const named = (sessionId: string) => ({ ...ada, sessionId, authenticated });
    await one.absorb(named('a'), { trust: 'untrusted', sensitivity: 'private' });
    const both = { untrusted: true, sensitivity: 'private' };
    expect(one.known(named('b'))).toEqual(both);
    expect(await other.fresh(named('local'))).toEqual(both);
    const elsewhere = { ...named('a'), authenticated: { ...authenticated, sessionId: 'token:2' } };
    expect(await other.fresh(elsewhere)).toEqual(NOTHING_SEEN);
    expect(await other.fresh(ada)).toEqual(NOTHING_SEEN);
  });

  it('of the local session are forgotten when its process ends', async () => {
    const { labels } = setUp();
    const one = labels();
    expect(
      one.absorb(LOCAL_CALLER, { trust: 'untrusted', sensitivity: 'private' }),
    ).toBeUndefined();
    expect(await one.fresh(LOCAL_CALLER)).toEqual({ untrusted: true, sensitivity: 'private' });
    expect(await labels().fresh(LOCAL_CALLER)).toEqual(NOTHING_SEEN);
  });
});
