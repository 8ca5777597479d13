/** The suite that every driver of a language model passes, over HTTP, against its own protocol. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Model } from '../../src/contract/model.ts';
import { API_KEY, type ModelEndpoint } from './model-endpoint.ts';

export interface ModelFixture {
  start(): Promise<ModelEndpoint>;
  /** A model at that address; `secret` is the key it finds, `pricing` 3 and 15 USD a million. */
  open(url: string, options?: { secret?: string | undefined; pricing?: boolean }): Model;
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer' } },
  required: ['city'],
};

const STATUSES: readonly (readonly [number, ErrorCode])[] = [
  [401, 'AUTH_MISSING'],
  [403, 'AUTH_MISSING'],
  [404, 'NOT_FOUND'],
  [400, 'EXECUTION_FAILED'],
  [408, 'TIMEOUT'],
  [429, 'RATE_LIMITED'],
  [500, 'SERVER_ERROR'],
  [503, 'SERVER_ERROR'],
  [504, 'TIMEOUT'],
  [529, 'SERVER_ERROR'],
];

export const describeModel = (name: string, site: ModelFixture): void => {
  describe(`${name} conforms to the model port`, () => {
    let endpoint: ModelEndpoint;
    const model = (options?: Parameters<ModelFixture['open']>[1]): Model =>
      site.open(endpoint.url, { secret: API_KEY, ...options });
    const failure = (running: Promise<unknown>) =>
      running.then(
        () => expect.fail('it did not fail'),
        (error: { code: ErrorCode; message: string; extras: { retryAfterMs?: number } }) => error,
      );

    beforeEach(async () => {
      endpoint = await site.start();
    });
    afterEach(() => endpoint.close());

    it('answers with text, the model that spoke and the tokens it reports', async () => {
      endpoint.say({ text: 'Grüße 🌍', input: 21, output: 4 });
      const reply = await model().generate({ prompt: 'Say hello', system: 'Be kind' });
      expect(reply).toEqual({
        text: 'Grüße 🌍',
        model: expect.stringMatching(/-0613$/),
        inputTokens: 21,
        outputTokens: 4,
      });
    });

    it('knows the cost by the price list', async () => {
      endpoint.say({ text: 'x', input: 1000, output: 200 });
      const { costUsd } = await model({ pricing: true }).generate({ prompt: 'x' });
      expect(costUsd).toBeCloseTo(0.003 + 0.003, 12);
    });

    it('passes the limit on tokens and the temperature on', async () => {
      await model().generate({ prompt: 'x', maxTokens: 77, temperature: 0.25 });
      expect(endpoint.seen[0]).toMatchObject({ max_tokens: 77, temperature: 0.25 });
    });

    it('answers with an object of the shape asked for', async () => {
      endpoint.say({ text: '{"city":"Oslo","people":709000}', input: 30, output: 9 });
      const reply = await model().generate({ prompt: 'Oslo, 709000', schema: SCHEMA });
      expect(reply).toMatchObject({
        object: { city: 'Oslo', people: 709000 },
        inputTokens: 30,
        outputTokens: 9,
      });
      expect(JSON.stringify(endpoint.seen[0])).toContain('"people":{"type":"integer"}');
    });

    it('counts an answer that is no JSON, without an object', async () => {
      endpoint.say({ text: 'I would rather not.', input: 30, output: 9 });
      const reply = await model({ pricing: true }).generate({ prompt: 'x', schema: SCHEMA });
      expect(reply).toMatchObject({ inputTokens: 30, outputTokens: 9 });
      expect(reply.object).toBeUndefined();
      expect(reply.costUsd).toBeGreaterThan(0);
    });

    it.each(STATUSES)('an answer of %i is %s, in our words', async (status, code) => {
      endpoint.say({ status });
      const error = await failure(model().generate({ prompt: 'the secret prompt' }));
      expect(error.code).toBe(code);
      expect(error.message).not.toMatch(/secret prompt|key-of/);
      expect(endpoint.seen).toHaveLength(1);
    });

    it('says how long to wait, in seconds, milliseconds or as a date', async () => {
      const waits: (number | undefined)[] = [];
      for (const headers of [
        { 'retry-after': '7' },
        { 'retry-after-ms': '150' },
        { 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' },
        { 'retry-after': 'soon' },
      ]) {
        endpoint.say({ status: 429, headers: headers as Record<string, string> });
        waits.push((await failure(model().generate({ prompt: 'x' }))).extras.retryAfterMs);
      }
      expect(waits).toEqual([7000, 150, 30_000, undefined]);
    });

    it('refuses without the key it was told of, and asks nobody', async () => {
      const error = await failure(model({ secret: undefined }).generate({ prompt: 'x' }));
      expect(error.code).toBe('AUTH_MISSING');
      expect(endpoint.seen).toHaveLength(0);
      const wrong = await failure(model({ secret: 'another' }).generate({ prompt: 'x' }));
      expect(wrong.code).toBe('AUTH_MISSING');
      expect(wrong.message).not.toContain('another');
    });

    it('is cut off by its signal, before and during', async () => {
      const early = model().generate({ prompt: 'x', signal: AbortSignal.abort() });
      expect((await failure(early)).code).toBe('CANCELLED');
      expect(endpoint.seen).toHaveLength(0);
      endpoint.say({ hang: true });
      const signal = AbortSignal.timeout(50);
      expect((await failure(model().generate({ prompt: 'x', signal }))).code).toBe('TIMEOUT');
    });

    it('calls garbage a server error, and a broken line a network one', async () => {
      endpoint.say({ raw: '<html>proxy</html>' });
      expect((await failure(model().generate({ prompt: 'x' }))).code).toBe('SERVER_ERROR');
      endpoint.say({ drop: true });
      expect((await failure(model().generate({ prompt: 'x' }))).code).toBe('NETWORK');
      const nobody = site.open('http://127.0.0.1:1/v1', { secret: API_KEY });
      expect((await failure(nobody.generate({ prompt: 'x' }))).code).toBe('NETWORK');
    });
  });
};
