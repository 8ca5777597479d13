/** Clients of an event stream that read, that come late, and that read no more. */
import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { toResponse } from './answer.ts';
import { type EventSink, EventStream, MAX_BACKLOG } from './event-stream.ts';

const note = (text: string) => `data: ${text}\n\n`;

const open = (backlog = () => 0) => {
  const heard: string[] = [];
  const runtime = fakeRuntime();
  let left = 0;
  const stream = new EventStream({
    runtime,
    onOver: () => {
      left += 1;
    },
  });
  const sink: EventSink = {
    write: (chunk) => void heard.push(String(chunk)),
    end: () => void heard.push('(end)'),
    backlog,
    cut: () => void heard.push('(cut)'),
  };
  return { stream, sink, heard, runtime, left: () => left };
};

it('a stream keeps what is written before its client listens, then sends keep-alive comments', async () => {
  const { stream, sink, heard, runtime } = open();
  stream.write(note('early'));
  stream.open(sink);
  expect(heard.join('')).toContain('early');
  await runtime.advance(16_000);
  expect(heard.at(-1)).toBe(': keepalive\n\n');
  stream.end();
  stream.write(note('late'));
  await runtime.advance(60_000);
  expect(heard.slice(2)).toEqual(['(end)']);
});

it('a stream is cut when more waits for its client than allowed', () => {
  let waiting = 0;
  const { stream, sink, heard, left } = open(() => waiting);
  stream.open(sink);
  waiting = MAX_BACKLOG;
  stream.write(note('much, but not too much'));
  expect([heard.length, left()]).toEqual([1, 0]);
  waiting += 1;
  for (const text of ['too much', 'for nobody']) stream.write(note(text));
  expect(heard.slice(1)).toEqual(['(cut)']);
  expect(left()).toBe(1);
});

it('a web response is cut when more waits for its client than allowed', async () => {
  const { stream } = open();
  const { body } = toResponse({ status: 200, headers: [], stream });
  const text = 'x'.repeat(1024 * 1024);
  for (let sent = 0; sent < 12; sent++) stream.write(note(text));
  const reader = body?.getReader();
  const readAll = async () => {
    for (;;) if ((await reader?.read())?.done) return;
  };
  await expect(readAll()).rejects.toThrow('does not read');
});

it('a held stream ends when its holder ends it, and is released afterwards', () => {
  const { stream, sink, heard } = open();
  let end = (): void => undefined;
  let released = 0;
  stream.holdBy((given) => {
    end = given;
    return () => {
      released += 1;
    };
  });
  stream.open(sink);
  end();
  stream.write(note('for nobody'));
  stream.leave();
  expect([heard, released]).toEqual([['(end)'], 1]);
  stream.holdBy(() => {
    throw new Error('a stream that is over cannot be held');
  });
});
