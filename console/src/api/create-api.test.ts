import { describe, expect, it, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { createApi, withQuery } from './create-api.ts';

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () =>
      new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
  );
  const onSignedOut = vi.fn();
  const onForbidden = vi.fn(async () => false);
  const api = createApi({ fetch, onSignedOut, onForbidden });
  return { api, fetch, onSignedOut, onForbidden };
};

const sent = (fetch: ReturnType<typeof answering>['fetch']) => {
  const [path, init] = fetch.mock.calls[0] ?? [];
  return { path, method: init?.method, headers: new Headers(init?.headers), body: init?.body };
};

describe('the API client', () => {
  it('asks with the query, leaving out what is empty', async () => {
    const { api, fetch } = answering(200, { items: [] });
    expect(await api.get('/v1/tools', { q: 'a b', tier: '', limit: 5 })).toEqual({ items: [] });
    expect(sent(fetch).path).toBe('/v1/tools?q=a+b&limit=5');
    expect(withQuery('/v1/tools', { cursor: undefined })).toBe('/v1/tools');
  });

  it('sends the CSRF proof with every change, and with nothing else', async () => {
    const { api, fetch } = answering(200, {});
    api.setCsrf('proof');
    await api.send('POST', '/v1/x', { a: 1 });
    const { headers, method, body } = sent(fetch);
    expect([method, headers.get('x-toolcrib-csrf'), body]).toEqual(['POST', 'proof', '{"a":1}']);
    fetch.mockClear();
    await api.get('/v1/x');
    expect(sent(fetch).headers.has('x-toolcrib-csrf')).toBe(false);
  });

  it('sends no body where there is none', async () => {
    const { api, fetch } = answering(200, '');
    expect(await api.send('DELETE', '/v1/session')).toBeUndefined();
    expect([sent(fetch).body, sent(fetch).headers.has('content-type')]).toEqual([undefined, false]);
  });

  it('throws what the server says, with what to do next', async () => {
    const error = { code: 'CONFLICT', message: 'Changed since.', suggestions: ['Look again.'] };
    const { api } = answering(409, { error }, { 'x-request-id': 'r1' });
    const thrown = await api.get('/v1/x').catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      code: 'CONFLICT',
      status: 409,
      message: 'Changed since.',
      suggestions: ['Look again.'],
      requestId: 'r1',
    });
  });

  it('throws something useful for answers of other shapes', async () => {
    const html = answering(502, '<h1>Bad gateway</h1>');
    await expect(html.api.get('/v1/x')).rejects.toMatchObject({ code: 'HTTP_502', status: 502 });
    const odd = answering(500, { error: 'text' });
    await expect(odd.api.get('/v1/x')).rejects.toMatchObject({ code: 'HTTP_500' });
    const fetch = vi.fn<typeof globalThis.fetch>().mockRejectedValue(new TypeError('failed'));
    const offline = createApi({ fetch, onSignedOut: vi.fn(), onForbidden: async () => false });
    await expect(offline.get('/v1/x')).rejects.toMatchObject({ code: 'UNREACHABLE', status: 0 });
  });

  it('tells when the session is over', async () => {
    const { api, onSignedOut } = answering(401, { error: { code: 'AUTH_MISSING', message: 'no' } });
    await expect(api.get('/v1/x')).rejects.toMatchObject({ code: 'AUTH_MISSING' });
    expect(onSignedOut).toHaveBeenCalledOnce();
    await expect(api.signIn('x')).rejects.toMatchObject({ code: 'AUTH_MISSING' });
    expect(onSignedOut).toHaveBeenCalledOnce();
  });

  it('a tool that lacks its credential does not end the session', async () => {
    const result = { success: false, status: 'denied', error: {}, metadata: { executionId: 'e' } };
    const { api, onSignedOut } = answering(424, result);
    expect(await api.run('/v1/tools/t/execute', {})).toEqual(result);
    // A server behind the crib that wants a login, for one: an error, and no result of a call.
    const lacking = answering(424, {
      error: { code: 'AUTH_MISSING', message: 'It wants a login.' },
    });
    await expect(lacking.api.send('POST', '/v1/servers/s/test')).rejects.toMatchObject({
      code: 'AUTH_MISSING',
    });
    expect(lacking.onSignedOut).not.toHaveBeenCalled();
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('a change that was refused is made once more, with the new proof, where that helps', async () => {
    const { api, fetch, onForbidden } = answering(200, { done: true });
    fetch.mockImplementationOnce(async () => new Response('{}', { status: 403 }));
    api.setCsrf('old');
    onForbidden.mockImplementationOnce(async () => {
      api.setCsrf('new');
      return true;
    });
    expect(await api.send('POST', '/v1/x', { a: 1 })).toEqual({ done: true });
    const proofs = fetch.mock.calls.map(([, init]) =>
      new Headers(init?.headers).get('x-toolcrib-csrf'),
    );
    expect(proofs).toEqual(['old', 'new']);
  });

  it('is not made again where it does not help, nor more than once', async () => {
    const { api, fetch, onForbidden } = answering(403, {
      error: { code: 'PERMISSION_DENIED', message: 'No.' },
    });
    await expect(api.send('POST', '/v1/x')).rejects.toMatchObject({ status: 403 });
    expect(fetch).toHaveBeenCalledTimes(1);
    onForbidden.mockResolvedValue(true);
    await expect(api.run('/v1/tools/t/execute', {})).rejects.toMatchObject({ status: 403 });
    expect(fetch).toHaveBeenCalledTimes(3);
    await expect(api.present()).rejects.toMatchObject({ status: 403 });
    expect([fetch.mock.calls.length, onForbidden.mock.calls.length]).toEqual([4, 2]);
  });

  it('a call that a tool refused is not made again', async () => {
    const result = { success: false, status: 'denied', error: {}, metadata: { executionId: 'e' } };
    const { api, fetch, onForbidden } = answering(403, result);
    onForbidden.mockResolvedValue(true);
    expect(await api.run('/v1/tools/t/execute', {})).toEqual(result);
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('returns the result of a call also when it was refused', async () => {
    const result = { success: false, status: 'denied', error: {}, metadata: { executionId: 'e' } };
    expect(await answering(403, result).api.run('/v1/tools/t/execute', {})).toEqual(result);
    const refused = answering(400, { error: { code: 'VALIDATION_ERROR', message: 'No.' } });
    await expect(refused.api.run('/v1/tools/t/execute', {})).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
