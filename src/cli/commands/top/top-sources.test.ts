/** What `toolcrib top` reads from a store and from a server, against a real crib and a real HTTP surface. */
import { afterEach, describe, expect, it } from 'vitest';
import { HOST, openHttp, type TestHttp } from '../../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { cribSource } from './read-crib.ts';
import { runningIn, serverSource } from './read-server.ts';
import { readSnapshot } from './top-snapshot.ts';

let http: TestHttp;
afterEach(() => http.close());

const open = async () => {
  let finish: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = aTool({ name: 'slow', tier: 'write', run: () => hold.then(() => ({})) });
  const fail = aTool({
    name: 'fail',
    run: () => {
      throw new Error('no');
    },
  });
  http = await openHttp([aTool(), slow, fail], {}, { approver: async () => true });
  return { finish };
};

const fetchFrom =
  (surface: TestHttp['surface']): typeof fetch =>
  (input, init) =>
    surface.fetch(
      new Request(input as URL, { ...init, headers: { ...init?.headers, host: HOST } }),
      '127.0.0.1',
    );

describe('the sources of toolcrib top', () => {
  it('a store and a server give the same figures', async () => {
    const { finish } = await open();
    const { crib, surface, tokens } = http;
    await crib.execute('echo', {});
    await crib.execute('echo', {});
    await crib.execute('fail', {});
    const now = crib.runtime.now();
    const local = await readSnapshot(cribSource(crib, 'here'), now);
    const url = `http://${HOST}`;
    let made = 0;
    const token = async () => {
      made += 1;
      return tokens.viewer;
    };
    const source = serverSource({
      url,
      token,
      fetch: fetchFrom(surface),
    });
    const remote = await readSnapshot(source, now);
    expect(remote).toEqual({ ...local, source: url });
    expect(made).toBe(1);
    expect(local.tools).toMatchObject([
      { name: 'echo', calls: 2, errorRate: 0 },
      { name: 'fail', calls: 1, errorRate: 1 },
    ]);
    expect(local.minutes.at(-1)?.calls).toBe(3);
    expect(local.errorRate).toBeCloseTo(1 / 3);
    finish();
  });

  it('a call that may change something is shown as running until it ends', async () => {
    const { finish } = await open();
    const { crib } = http;
    const call = crib.execute('slow', {});
    await crib.runtime.advance(10);
    const shot = async () => readSnapshot(cribSource(crib, 'here'), crib.runtime.now());
    expect(await shot()).toMatchObject({ running: 1, tools: [{ name: 'slow', running: 1 }] });
    finish();
    await call;
    expect(await shot()).toMatchObject({ running: 0 });
  });

  it('a token that is no longer good is replaced once, and a wrong one is refused with a hint', async () => {
    await open();
    const { surface, tokens } = http;
    const asked: boolean[] = [];
    const token = async (isRefused: boolean) => {
      asked.push(isRefused);
      return isRefused ? tokens.viewer : 'tc_wrong';
    };
    const options = { url: `http://${HOST}`, fetch: fetchFrom(surface) };
    expect(await serverSource({ ...options, token }).usage()).toEqual([]);
    expect(asked).toEqual([false, true]);
    const wrong = serverSource({ ...options, token: async () => 'tc_wrong' });
    await expect(wrong.usage()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('reads running calls from the page of metrics, with quotes in names', () => {
    const text =
      '# TYPE toolcrib_running_calls gauge\ntoolcrib_running_calls{tool="a"} 2\n' +
      'toolcrib_running_calls{tool="b\\"c"} 1\ntoolcrib_running_calls{tool="idle"} 0\n';
    expect(runningIn(text)).toEqual([
      { tool: 'a', count: 2 },
      { tool: 'b"c', count: 1 },
    ]);
  });
});
