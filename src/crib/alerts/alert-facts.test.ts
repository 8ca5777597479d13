import { expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { WatchedStates } from './alert-facts.ts';

type Listed = ReturnType<Crib['servers']['list']>;
const listed = (state: string): Listed =>
  [{ name: 'git', state, restarts: 1 }] as unknown as Listed;

it('a server is down since alerts first saw it down, and up since it answered', () => {
  const clock = { now: 1000 };
  const watched = new WatchedStates(() => clock.now);
  watched.servers(listed('open'));
  clock.now += 500;
  expect(watched.servers(listed('open'))[0]).toMatchObject({ name: 'git', forMs: 500 });
  clock.now += 500;
  expect(watched.servers(listed('ready'))[0]).toMatchObject({ state: 'ready', forMs: 0 });
});
