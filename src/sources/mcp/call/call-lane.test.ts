import { describe, expect, it, vi } from 'vitest';
import { CallLane } from './call-lane.ts';

const FIRST = 1_000_000_000;
const META = '"a/b":{"c":1},';

/** A lane whose lines are kept, and what can be told of them. */
const someLane = (meta = '') => {
  const lines: string[] = [];
  const told: ((error?: Error) => void)[] = [];
  const timer = { cancel: vi.fn(), keepAlive: vi.fn() };
  const hold = vi.fn(() => timer);
  const lane = new CallLane({
    write: (line, tell) => {
      lines.push(line);
      told.push(tell as (error?: Error) => void);
    },
    hold,
  });
  lane.meta = meta;
  return { lane, lines, told, timer, hold, sent: (at = 0) => JSON.parse(lines[at] ?? '') };
};

const watch = (stop = new AbortController()) => ({ signal: stop.signal, onProgress: vi.fn() });
const asItIs = (response: object): object => response;
const params = { name: 'echo', arguments: { word: 'hi\n"' } };
const answer = (id: unknown) => ({ jsonrpc: '2.0', id, result: { content: [] } });
const step = (progressToken: unknown, more: object = { progress: 1 }) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, ...more },
});

describe('a call on the lane', () => {
  it('is one line, with a token for progress and what the protocol wants said', () => {
    const { lane, lines, sent } = someLane();
    void lane.call(params, watch(), asItIs);
    lane.meta = META;
    void lane.call(params, watch(), asItIs);
    expect(sent()).toEqual({
      jsonrpc: '2.0',
      id: FIRST,
      method: 'tools/call',
      params: { ...params, _meta: { progressToken: FIRST } },
    });
    expect(sent(1)).toMatchObject({
      id: FIRST + 1,
      params: { ...params, _meta: { 'a/b': { c: 1 }, progressToken: FIRST + 1 } },
    });
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  });

  it('ends with its own response, also where the id comes back as text', async () => {
    const { lane } = someLane();
    const calls = [1, 2].map(() => lane.call(params, watch(), asItIs));
    const [first, second] = [answer(FIRST + 1), answer(String(FIRST))];
    expect(lane.takeResponse(first)).toBe(true);
    expect(lane.takeResponse(second)).toBe(true);
    expect(await Promise.all(calls)).toEqual([second, first]);
  });

  it('leaves to the SDK what is not its own, and takes a response once', () => {
    const { lane } = someLane();
    void lane.call(params, watch(), asItIs);
    expect(lane.takeResponse(answer(0))).toBe(false);
    expect(lane.takeResponse(answer('listen-1'))).toBe(false);
    expect(lane.takeResponse({ ...answer(FIRST), method: 'ping' })).toBe(false);
    expect(lane.takeResponse(answer(FIRST))).toBe(true);
    expect(lane.takeResponse(answer(FIRST))).toBe(false);
  });

  it('has its response read at once: what follows it may be the end of the connection', async () => {
    const { lane } = someLane();
    const read = vi.fn(() => 'read');
    const call = lane.call(params, watch(), read);
    const broken = lane.call(params, watch(), () => {
      throw new Error('unreadable');
    });
    lane.takeResponse(answer(FIRST));
    expect(read).toHaveBeenCalledWith(answer(FIRST));
    expect(lane.takeResponse(answer(FIRST + 1))).toBe(true);
    lane.close();
    expect(await call).toBe('read');
    await expect(broken).rejects.toThrow('unreadable');
  });

  it('that could not be written fails with the reason', async () => {
    const { lane, told } = someLane();
    const call = lane.call(params, watch(), asItIs);
    told[0]?.(new Error('write EPIPE'));
    await expect(call).rejects.toThrow('write EPIPE');
    const closed = new CallLane({
      write: () => {
        throw new Error('Not connected');
      },
      hold: () => ({ cancel: () => undefined, keepAlive: () => undefined }),
    });
    await expect(closed.call(params, watch(), asItIs)).rejects.toThrow('Not connected');
  });

  it('holds the process while somebody waits, and not longer', () => {
    const { lane, hold, timer } = someLane();
    void lane.call(params, watch(), asItIs);
    void lane.call(params, watch(), asItIs);
    expect(hold).toHaveBeenCalledTimes(1);
    lane.takeResponse(answer(FIRST));
    expect(timer.keepAlive).not.toHaveBeenCalled();
    lane.takeResponse(answer(FIRST + 1));
    expect(timer.keepAlive).toHaveBeenLastCalledWith(false);
    void lane.call(params, watch(), asItIs).catch(() => undefined);
    expect(timer.keepAlive).toHaveBeenLastCalledWith(true);
    lane.close();
    expect(timer.cancel).toHaveBeenCalledTimes(1);
    expect(hold).toHaveBeenCalledTimes(1);
  });
});

describe('progress of a call on the lane', () => {
  it('is told to the one who called, and to nobody once the call is over', () => {
    const { lane } = someLane();
    const [one, other] = [watch(), watch()];
    void lane.call(params, one, asItIs);
    void lane.call(params, other, asItIs);
    expect(lane.takeProgress(step(FIRST, { progress: 1, total: 4, message: 'm' }))).toBe(true);
    expect(lane.takeProgress(step(String(FIRST)))).toBe(true);
    expect(one.onProgress.mock.calls).toEqual([
      [1, 4, 'm'],
      [1, undefined, undefined],
    ]);
    lane.takeResponse(answer(FIRST));
    expect(lane.takeProgress(step(FIRST))).toBe(true);
    expect(one.onProgress).toHaveBeenCalledTimes(2);
    expect(other.onProgress).not.toHaveBeenCalled();
  });

  it('of others is left to the SDK, and so is everything else', () => {
    const { lane } = someLane();
    void lane.call(params, watch(), asItIs);
    expect(lane.takeProgress(step(0))).toBe(false);
    expect(lane.takeProgress(step('x'))).toBe(false);
    expect(lane.takeProgress(step([FIRST]))).toBe(false);
    expect(lane.takeProgress({ jsonrpc: '2.0', method: 'notifications/progress' })).toBe(false);
    expect(lane.takeProgress({ ...step(FIRST), id: 1 })).toBe(false);
    expect(lane.takeProgress({ ...step(FIRST), method: 'notifications/message' })).toBe(false);
  });

  it('threat: that is malformed, or breaks the listener, harms nobody', () => {
    const { lane } = someLane();
    const one = watch();
    void lane.call(params, one, asItIs);
    const bad = [
      {},
      { progress: '1' },
      { progress: Number.POSITIVE_INFINITY },
      { progress: 1, total: '2' },
      { progress: 1, message: 3 },
    ];
    for (const more of bad) expect(lane.takeProgress(step(FIRST, more))).toBe(true);
    expect(one.onProgress).not.toHaveBeenCalled();
    one.onProgress.mockImplementation(() => {
      throw new Error('listener');
    });
    expect(lane.takeProgress(step(FIRST))).toBe(true);
    expect(one.onProgress).toHaveBeenCalledTimes(1);
  });
});

describe('a call on the lane that does not end by itself', () => {
  it.each([
    ['', {}],
    [META, { _meta: { 'a/b': { c: 1 } } }],
  ])('is cancelled at the server: %j', async (meta, more) => {
    const { lane, sent, lines } = someLane(meta);
    const stop = new AbortController();
    const call = lane.call(params, watch(stop), asItIs);
    stop.abort('CANCELLED');
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'CANCELLED' });
    expect(sent(1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: FIRST, reason: 'CANCELLED', ...more },
    });
    expect(lane.takeResponse(answer(FIRST))).toBe(false);
    expect(lines).toHaveLength(2);
  });

  it('is not cancelled once it was answered', async () => {
    const { lane, lines } = someLane();
    const stop = new AbortController();
    const call = lane.call(params, watch(stop), asItIs);
    lane.takeResponse(answer(FIRST));
    stop.abort();
    expect(await call).toMatchObject({ id: FIRST });
    expect(lines).toHaveLength(1);
  });

  it('is not even sent when it was cancelled before', async () => {
    const { lane, lines } = someLane();
    const stop = new AbortController();
    stop.abort('TIMEOUT');
    const call = lane.call(params, watch(stop), asItIs);
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'TIMEOUT' });
    expect(lines).toEqual([]);
  });

  it('fails with all others when the connection ends', async () => {
    const { lane } = someLane();
    const calls = [1, 2, 3].map(() => lane.call(params, watch(), asItIs));
    lane.close();
    lane.close();
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    }
  });
});
