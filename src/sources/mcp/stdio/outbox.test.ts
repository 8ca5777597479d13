import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/fixtures/eventually.ts';
import { Outbox } from './outbox.ts';

const pipeTo = (take: (text: string) => Error | undefined) =>
  new Writable({
    decodeStrings: false,
    write: (text, _, done) => done(take(String(text)) ?? null),
  });

describe('what is sent to a server', () => {
  it('in one turn is written at once and in order; each sender learns the outcome', async () => {
    const pieces: string[] = [];
    const outbox = new Outbox(pipeTo((text) => void pieces.push(text)));
    const told = vi.fn();
    outbox.put('a\n', told);
    outbox.put('b\n', told);
    expect(pieces).toEqual([]);
    await eventually(() => expect(told).toHaveBeenCalledTimes(2));
    outbox.put('c\n', told);
    await eventually(() => expect(told).toHaveBeenCalledTimes(3));
    expect(pieces).toEqual(['a\nb\n', 'c\n']);
    expect(told.mock.calls.every(([error]) => !error)).toBe(true);
  });

  it('is there before the pipe is closed', async () => {
    const pieces: string[] = [];
    const pipe = pipeTo((text) => void pieces.push(text));
    const outbox = new Outbox(pipe);
    outbox.put('last\n', () => undefined);
    outbox.flush();
    pipe.end();
    await eventually(() => expect(pieces).toEqual(['last\n']));
  });

  it('and cannot be written fails every sender', async () => {
    const pipe = pipeTo(() => new Error('write EPIPE'));
    pipe.on('error', () => undefined);
    const outbox = new Outbox(pipe);
    const told = vi.fn();
    outbox.put('a\n', told);
    outbox.put('b\n', told);
    await eventually(() => expect(told).toHaveBeenCalledTimes(2));
    expect(told.mock.calls.every(([error]) => error?.message === 'write EPIPE')).toBe(true);
  });
});
