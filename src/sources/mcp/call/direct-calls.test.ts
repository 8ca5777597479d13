import { describe, expect, it, vi } from 'vitest';
import { DirectCalls } from './direct-calls.ts';

const FIRST = 1_000_000_000;
const META = '"a/b":{"c":1},';

/** A directCalls whose lines are kept, and what can be told of them. */
const someCalls = (meta = '') => {
  const lines: string[] = [];
  const told: ((error?: Error) => void)[] = [];
  const timer = { cancel: vi.fn(), keepAlive: vi.fn() };
  const hold = vi.fn(() => timer);
  const directCalls = new DirectCalls({
    write: (line, tell) => {
      lines.push(line);
      told.push(tell as (error?: Error) => void);
    },
    hold,
  });
  directCalls.meta = meta;
  return { directCalls, lines, told, timer, hold, sent: (at = 0) => JSON.parse(lines[at] ?? '') };
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

describe('a direct call', () => {
  it('is one line, with a token for progress and what the protocol wants said', () => {
    const { directCalls, lines, sent } = someCalls();
    void directCalls.call(params, watch(), asItIs);
    directCalls.meta = META;
    void directCalls.call(params, watch(), asItIs);
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
    const { directCalls } = someCalls();
    const calls = [1, 2].map(() => directCalls.call(params, watch(), asItIs));
    const [first, second] = [answer(FIRST + 1), answer(String(FIRST))];
    expect(directCalls.takeResponse(first)).toBe(true);
    expect(directCalls.takeResponse(second)).toBe(true);
    expect(await Promise.all(calls)).toEqual([second, first]);
  });

  it('leaves to the SDK what is not its own, and takes a response once', () => {
    const { directCalls } = someCalls();
    void directCalls.call(params, watch(), asItIs);
    expect(directCalls.takeResponse(answer(0))).toBe(false);
    expect(directCalls.takeResponse(answer('listen-1'))).toBe(false);
    expect(directCalls.takeResponse({ ...answer(FIRST), method: 'ping' })).toBe(false);
    expect(directCalls.takeResponse(answer(FIRST))).toBe(true);
    expect(directCalls.takeResponse(answer(FIRST))).toBe(false);
  });

  it('has its response read at once: what follows it may be the end of the connection', async () => {
    const { directCalls } = someCalls();
    const read = vi.fn(() => 'read');
    const call = directCalls.call(params, watch(), read);
    const broken = directCalls.call(params, watch(), () => {
      throw new Error('unreadable');
    });
    directCalls.takeResponse(answer(FIRST));
    expect(read).toHaveBeenCalledWith(answer(FIRST));
    expect(directCalls.takeResponse(answer(FIRST + 1))).toBe(true);
    directCalls.close();
    expect(await call).toBe('read');
    await expect(broken).rejects.toThrow('unreadable');
  });

  it('that could not be written fails with the reason', async () => {
    const { directCalls, told } = someCalls();
    const call = directCalls.call(params, watch(), asItIs);
    told[0]?.(new Error('write EPIPE'));
    await expect(call).rejects.toThrow('write EPIPE');
    const closed = new DirectCalls({
      write: () => {
        throw new Error('Not connected');
      },
      hold: () => ({ cancel: () => undefined, keepAlive: () => undefined }),
    });
    await expect(closed.call(params, watch(), asItIs)).rejects.toThrow('Not connected');
  });

  it('keeps the process alive while it waits, and not longer', () => {
    const { directCalls, hold, timer } = someCalls();
    void directCalls.call(params, watch(), asItIs);
    void directCalls.call(params, watch(), asItIs);
    expect(hold).toHaveBeenCalledTimes(1);
    directCalls.takeResponse(answer(FIRST));
    expect(timer.keepAlive).not.toHaveBeenCalled();
    directCalls.takeResponse(answer(FIRST + 1));
    expect(timer.keepAlive).toHaveBeenLastCalledWith(false);
    void directCalls.call(params, watch(), asItIs).catch(() => undefined);
    expect(timer.keepAlive).toHaveBeenLastCalledWith(true);
    directCalls.close();
    expect(timer.cancel).toHaveBeenCalledTimes(1);
    expect(hold).toHaveBeenCalledTimes(1);
  });
});

describe('progress of a direct call', () => {
  it('is reported to its caller until the call has ended', () => {
    const { directCalls } = someCalls();
    const [one, other] = [watch(), watch()];
    void directCalls.call(params, one, asItIs);
    void directCalls.call(params, other, asItIs);
    expect(directCalls.takeProgress(step(FIRST, { progress: 1, total: 4, message: 'm' }))).toBe(
      true,
    );
    expect(directCalls.takeProgress(step(String(FIRST)))).toBe(true);
    expect(one.onProgress.mock.calls).toEqual([
      [1, 4, 'm'],
      [1, undefined, undefined],
    ]);
    directCalls.takeResponse(answer(FIRST));
    expect(directCalls.takeProgress(step(FIRST))).toBe(true);
    expect(one.onProgress).toHaveBeenCalledTimes(2);
    expect(other.onProgress).not.toHaveBeenCalled();
  });

  it('of others is left to the SDK, and so is everything else', () => {
    const { directCalls } = someCalls();
    void directCalls.call(params, watch(), asItIs);
    expect(directCalls.takeProgress(step(0))).toBe(false);
    expect(directCalls.takeProgress(step('x'))).toBe(false);
    expect(directCalls.takeProgress(step([FIRST]))).toBe(false);
    expect(directCalls.takeProgress({ jsonrpc: '2.0', method: 'notifications/progress' })).toBe(
      false,
    );
    expect(directCalls.takeProgress({ ...step(FIRST), id: 1 })).toBe(false);
    expect(directCalls.takeProgress({ ...step(FIRST), method: 'notifications/message' })).toBe(
      false,
    );
  });

  it('threat: that is malformed, or breaks the listener, harms nobody', () => {
    const { directCalls } = someCalls();
    const one = watch();
    void directCalls.call(params, one, asItIs);
    const bad = [
      {},
      { progress: '1' },
      { progress: Number.POSITIVE_INFINITY },
      { progress: 1, total: '2' },
      { progress: 1, message: 3 },
    ];
    for (const more of bad) expect(directCalls.takeProgress(step(FIRST, more))).toBe(true);
    expect(one.onProgress).not.toHaveBeenCalled();
    one.onProgress.mockImplementation(() => {
      throw new Error('listener');
    });
    expect(directCalls.takeProgress(step(FIRST))).toBe(true);
    expect(one.onProgress).toHaveBeenCalledTimes(1);
  });
});

describe('a direct call that gets no answer', () => {
  it.each([
    ['', {}],
    [META, { _meta: { 'a/b': { c: 1 } } }],
  ])('is cancelled at the server: %j', async (meta, more) => {
    const { directCalls, sent, lines } = someCalls(meta);
    const stop = new AbortController();
    const call = directCalls.call(params, watch(stop), asItIs);
    stop.abort('CANCELLED');
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'CANCELLED' });
    expect(sent(1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: FIRST, reason: 'CANCELLED', ...more },
    });
    expect(directCalls.takeResponse(answer(FIRST))).toBe(false);
    expect(lines).toHaveLength(2);
  });

  it('is not cancelled once it was answered', async () => {
    const { directCalls, lines } = someCalls();
    const stop = new AbortController();
    const call = directCalls.call(params, watch(stop), asItIs);
    directCalls.takeResponse(answer(FIRST));
    stop.abort();
    expect(await call).toMatchObject({ id: FIRST });
    expect(lines).toHaveLength(1);
  });

  it('is not even sent when it was cancelled before', async () => {
    const { directCalls, lines } = someCalls();
    const stop = new AbortController();
    stop.abort('TIMEOUT');
    const call = directCalls.call(params, watch(stop), asItIs);
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'TIMEOUT' });
    expect(lines).toEqual([]);
  });

  it('fails with all others when the connection ends', async () => {
    const { directCalls } = someCalls();
    const calls = [1, 2, 3].map(() => directCalls.call(params, watch(), asItIs));
    directCalls.close();
    directCalls.close();
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    }
  });
});
