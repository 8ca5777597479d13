import { describe, expect, it } from 'vitest';
import { type BodySource, PulledResponse } from './pulled-response.ts';

interface Watched extends BodySource {
  readonly asked: () => number;
  readonly cancelled: () => number;
}

/** Gives the texts one after the other, and counts what is asked of it. */
const sourceOf = (...texts: readonly string[]): Watched => {
  const waiting = [...texts];
  let asked = 0;
  let cancelled = 0;
  return {
    next: async () => {
      asked += 1;
      const text = waiting.shift();
      return text === undefined ? undefined : Buffer.from(text);
    },
    cancel: () => {
      cancelled += 1;
    },
    asked: () => asked,
    cancelled: () => cancelled,
  };
};

const responseOf = (source: BodySource | undefined, headers: Record<string, string> = {}) =>
  new PulledResponse(source, {
    status: 201,
    statusText: 'Made',
    headers: new Headers(headers),
    url: 'https://api.example.com/a',
    redirected: true,
  });

describe('a response whose bytes are pulled', () => {
  it('is a Response with the head that it was given', () => {
    const response = responseOf(sourceOf(), { 'x-a': '1' });
    expect(response).toBeInstanceOf(Response);
    const { status, statusText, ok, url, redirected, type } = response;
    expect({ status, statusText, ok, url, redirected, type }).toEqual({
      status: 201,
      statusText: 'Made',
      ok: true,
      type: 'default',
      url: 'https://api.example.com/a',
      redirected: true,
    });
    expect(response.headers.get('x-a')).toBe('1');
  });

  it('is read in every form that a Response is read in', async () => {
    const json = () => responseOf(sourceOf('{"a"', ':"ä"}'));
    expect(await json().json()).toEqual({ a: 'ä' });
    expect(await json().text()).toBe('{"a":"ä"}');
    expect(Buffer.from(await json().arrayBuffer()).toString()).toBe('{"a":"ä"}');
    expect(await (await json().blob()).text()).toBe('{"a":"ä"}');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await responseOf(sourceOf('a=1&b=2'), type).formData()).get('b')).toBe('2');
    expect(await new Response(json().body).text()).toBe('{"a":"ä"}');
  });

  it('leaves out a byte order mark, as fetch does', async () => {
    expect(await responseOf(sourceOf('\uFEFF{}')).json()).toEqual({});
  });

  it('is read once, with or without a stream', async () => {
    const plain = responseOf(sourceOf('a'));
    expect(plain.bodyUsed).toBe(false);
    await plain.text();
    expect(plain.bodyUsed).toBe(true);
    await expect(plain.text()).rejects.toThrow(TypeError);
    expect(() => plain.clone()).toThrow(TypeError);
    const streamed = responseOf(sourceOf('a'));
    expect(streamed.body).toBe(streamed.body);
    await streamed.text();
    expect(streamed.bodyUsed).toBe(true);
    await expect(streamed.json()).rejects.toThrow(TypeError);
  });

  it('is not read by others while a reader holds its stream', async () => {
    const response = responseOf(sourceOf('a'));
    const reader = response.body?.getReader();
    await expect(response.text()).rejects.toThrow(TypeError);
    expect((await reader?.read())?.value).toEqual(new TextEncoder().encode('a'));
  });

  it('gives the whole body to both after it was cloned', async () => {
    const response = responseOf(sourceOf('a', 'b'));
    const copy = response.clone();
    expect(await Promise.all([response.text(), copy.text()])).toEqual(['ab', 'ab']);
  });

  it('has no body where there is no source', async () => {
    const response = responseOf(undefined, { 'x-a': '1' });
    expect([response.body, response.bodyUsed]).toEqual([null, false]);
    expect(response.clone().headers.get('x-a')).toBe('1');
    expect(await response.text()).toBe('');
    expect(await response.text()).toBe('');
  });

  it('asks for nothing before it is read, and for nothing behind a limit', async () => {
    const source = sourceOf('abc', 'def', 'ghi');
    const response = responseOf(source);
    expect([source.asked(), response.status]).toEqual([0, 201]);
    expect(await response.readUpTo(5)).toBeUndefined();
    expect([source.asked(), source.cancelled()]).toEqual([2, 1]);
    const streamed = sourceOf('abc', 'def');
    const looked = responseOf(streamed);
    expect(looked.body).not.toBeNull();
    expect(await looked.readUpTo(5)).toBeUndefined();
    expect(streamed.cancelled()).toBe(1);
    expect((await responseOf(sourceOf('abc', 'de')).readUpTo(5))?.toString()).toBe('abcde');
  });

  it('cancels the source with its stream', async () => {
    const source = sourceOf('a');
    await responseOf(source).body?.cancel();
    expect([source.asked(), source.cancelled()]).toEqual([0, 1]);
  });

  it('fails with what the source fails with', async () => {
    const source = { next: () => Promise.reject(new Error('broken')), cancel: () => undefined };
    await expect(responseOf(source).text()).rejects.toThrow('broken');
    await expect(new Response(responseOf(source).body).text()).rejects.toThrow('broken');
  });
});
