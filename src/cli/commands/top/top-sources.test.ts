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

  it('a server that sends without an end is left after a few megabytes', async () => {
    await open();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(1_000_000));
        if (sent === 100) controller.close();
      },
    });
    const fetch = async () => new Response(body);
    const source = serverSource({ url: `http://${HOST}`, token: async () => 'x', fetch });
    await expect(source.usage()).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(sent).toBeLessThan(10);
  });

  it('a line of the page of metrics that is made to be slow to read is left out', () => {
    const slow = `toolcrib_running_calls{${'tool="" '.repeat(50_000)}\n`;
    const before = performance.now();
    expect(runningIn(`${slow}toolcrib_running_calls{tool="a"} 2`)).toEqual([
      { tool: 'a', count: 2 },
    ]);
    expect(performance.now() - before).toBeLessThan(1000);
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
