import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { openLiveEvents } from './live-events.ts';
import { createEventParser } from './parse-events.ts';

describe('the parser of event streams', () => {
  it('puts events together from pieces cut anywhere', () => {
    const text =
      ': beat\n\nid: 1\nevent: call.started\ndata: {"a":\ndata: 1}\n\nid: 2\r\ndata: x\r\n\r\n';
    for (const size of [1, 2, 3, 7, text.length]) {
      const { feed, lastId } = createEventParser();
      const events = [];
      for (let at = 0; at < text.length; at += size)
        events.push(...feed(text.slice(at, at + size)));
      expect(events).toEqual([
        { id: '1', name: 'call.started', data: '{"a":\n1}' },
        { id: '2', name: 'message', data: 'x' },
      ]);
      expect(lastId()).toBe('2');
    }
  });

  it('moves on by a block without data, and tells nobody', () => {
    const { feed, lastId } = createEventParser('5');
    expect([feed('retry: 9\nid: 7\n\n'), lastId()]).toEqual([[], '7']);
  });
});

/** A stream the test writes to and breaks. */
const openStream = () => {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      control = given;
    },
  });
  return {
    response: new Response(body),
    write: (text: string) => control?.enqueue(new TextEncoder().encode(text)),
    end: () => control?.close(),
  };
};

describe('the stream of live events', () => {
  it('resumes from the last event after a loss, and says so', async () => {
    const [first, second] = [openStream(), openStream()];
    const fetch = vi
      .fn<typeof globalThis.fetch>()
      .mockResolvedValueOnce(first.response)
      .mockRejectedValueOnce(new TypeError('offline'))
      .mockResolvedValueOnce(second.response);
    const wait = vi.fn(async () => undefined);
    const live = openLiveEvents({ fetch, wait, onSignedOut: vi.fn() });
    const heard: string[] = [];
    live.on(['call.*', 'connection.reopened'], ({ name }) => heard.push(name));
    first.write('id: a7\nevent: call.started\ndata: {}\n\nevent: tool.registered\ndata: {}\n\n');
    await eventually(() => expect(heard).toEqual(['call.started']));
    expect(live.state()).toBe('open');
    first.end();
    await eventually(() => expect(heard).toEqual(['call.started', 'connection.reopened']));
    const ids = fetch.mock.calls.map(([, init]) => new Headers(init?.headers).get('last-event-id'));
    expect(ids).toEqual([null, 'a7', 'a7']);
    // Each try in a row waits longer.
    expect(wait.mock.calls.map((call: unknown[]) => call[0])).toEqual([500, 1000]);
    live.close();
  });

  it('stops when it is closed, and listeners can leave', async () => {
    const stream = openStream();
    const fetch = vi.fn<typeof globalThis.fetch>(async (_, init) => {
      init?.signal?.addEventListener('abort', () => stream.end());
      return stream.response;
    });
    const live = openLiveEvents({ fetch, wait: async () => undefined, onSignedOut: vi.fn() });
    const heard: unknown[] = [];
    const stop = live.on(['a'], ({ data }) => heard.push(data));
    stream.write('event: a\ndata: not json\n\n');
    await eventually(() => expect(heard).toEqual([{}]));
    stop();
    stream.write('event: a\ndata: {}\n\n');
    live.close();
    await eventually(() => expect(stream.response.body?.locked).toBe(true));
    expect([heard.length, fetch.mock.calls.length]).toEqual([1, 1]);
  });

  it('tells when nobody is signed in any more, and does not call that a loss of the connection', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('', { status: 401 }));
    const onSignedOut = vi.fn(() => live.close());
    const live = openLiveEvents({ fetch, wait: async () => undefined, onSignedOut });
    await eventually(() => expect(onSignedOut).toHaveBeenCalled());
    await new Promise((resolve) => setTimeout(resolve));
    expect([live.state(), fetch.mock.calls.length]).toEqual(['connecting', 1]);
  });
});
