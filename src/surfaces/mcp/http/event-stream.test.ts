/** What a client gets that reads, that came late, and that reads no more. */
import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../../test/fixtures/fake-runtime.ts';
import { toResponse } from './door-answer.ts';
import { type EventSink, EventStream, MOST_BACKLOG } from './event-stream.ts';

const note = (text: string) => ({ jsonrpc: '2.0' as const, method: 'note', params: { text } });

const open = (backlog = () => 0) => {
  const heard: string[] = [];
  const runtime = fakeRuntime();
  let left = 0;
  const stream = new EventStream(runtime, () => {
    left += 1;
  });
  const sink: EventSink = {
    write: (text) => void heard.push(text),
    end: () => void heard.push('(end)'),
    backlog,
    cut: () => void heard.push('(cut)'),
  };
  return { stream, sink, heard, runtime, left: () => left };
};

it('keeps what is said before the client listens, and says then that it lives', async () => {
  const { stream, sink, heard, runtime } = open();
  stream.send(note('early'));
  stream.open(sink);
  expect(heard.join('')).toContain('early');
  await runtime.advance(16_000);
  expect(heard.at(-1)).toBe(': keepalive\n\n');
  stream.end();
  stream.send(note('late'));
  await runtime.advance(60_000);
  expect(heard.slice(2)).toEqual(['(end)']);
});

it('cuts off a client that takes nothing any more, and only that one', () => {
  let waiting = 0;
  const { stream, sink, heard, left } = open(() => waiting);
  stream.open(sink);
  waiting = MOST_BACKLOG;
  stream.send(note('much, but not too much'));
  expect([heard.length, left()]).toEqual([1, 0]);
  waiting += 1;
  for (const text of ['too much', 'for nobody']) stream.send(note(text));
  expect(heard.slice(1)).toEqual(['(cut)']);
  expect(left()).toBe(1);
});

it('cuts off the web\u2019s own stream as well', async () => {
  const { stream } = open();
  const { body } = toResponse({ status: 200, headers: {}, stream });
  const text = 'x'.repeat(1024 * 1024);
  for (let sent = 0; sent < 12; sent++) stream.send(note(text));
  const reader = body?.getReader();
  const readAll = async () => {
    for (;;) if ((await reader?.read())?.done) return;
  };
  await expect(readAll()).rejects.toThrow('does not read');
});
