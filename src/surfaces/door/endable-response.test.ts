import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { endableResponse } from './endable-response.ts';

const encoder = new TextEncoder();
const EVENTS = { 'content-type': 'text/event-stream' };

/** A stream that sends what it is given, and knows when nobody reads it any more. */
const source = () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const cancelled = vi.fn();
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: cancelled,
  });
  return {
    body,
    cancelled,
    send: (text: string) => controller?.enqueue(encoder.encode(text)),
    close: () => controller?.close(),
    fail: () => controller?.error(new Error('broken')),
  };
};

const held = () => {
  const release = vi.fn();
  let end = (): void => undefined;
  const hold = (given: () => void): (() => void) => {
    end = given;
    return release;
  };
  return { hold, release, end: () => end() };
};

describe('an endable response of events', () => {
  it('passes events on unchanged, and is released at its end', async () => {
    const { body, send, close } = source();
    const { hold, release } = held();
    const response = endableResponse(new Response(body, { status: 201, headers: EVENTS }), hold);
    send('data: 1\n\n');
    send('data: 2\n\n');
    close();
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
    expect(release).toHaveBeenCalledTimes(1);
  });

  it('ends when its holder ends it, and cancels its producer', async () => {
    const { body, send, cancelled } = source();
    const { hold, end } = held();
    const reader = endableResponse(new Response(body, { headers: EVENTS }), hold).body?.getReader();
    send('data: 1\n\n');
    expect((await reader?.read())?.done).toBe(false);
    const next = reader?.read();
    end();
    expect((await next)?.done).toBe(true);
    await eventually(() => expect(cancelled).toHaveBeenCalled());
  });

  it('is released when its reader leaves or its producer fails', async () => {
    const left = source();
    const first = held();
    await endableResponse(new Response(left.body, { headers: EVENTS }), first.hold).body?.cancel(
      'gone',
    );
    expect(first.release).toHaveBeenCalledTimes(1);
    expect(left.cancelled).toHaveBeenCalledWith('gone');
    const broken = source();
    const second = held();
    const response = endableResponse(new Response(broken.body, { headers: EVENTS }), second.hold);
    broken.fail();
    await expect(response.text()).rejects.toThrow('broken');
    expect(second.release).toHaveBeenCalledTimes(1);
  });
});

describe('endableResponse with any other response', () => {
  it.each([
    new Response('{}', { headers: { 'content-type': 'application/json' } }),
    new Response('plain', { headers: {} }),
    new Response(null, { headers: EVENTS }),
  ])('returns it unchanged', (response) => {
    const hold = vi.fn();
    expect(endableResponse(response, hold)).toBe(response);
    expect(hold).not.toHaveBeenCalled();
  });
});
