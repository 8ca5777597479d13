import { describe, expect, it } from 'vitest';
import { codeForStatus } from '../kit/http/status-code.ts';
import { textAt, type Vendor, vendorData, vendorFailure } from './vendor-reply.ts';

const VENDOR: Vendor = {
  name: 'Lamps',
  secret: 'LAMPS_KEY',
  setupUrl: 'https://lamps.example/keys',
  explain: (body) => textAt(body, 'error', 'message'),
};

describe('the answer of a service', () => {
  it.each([
    [400, 'VALIDATION_ERROR'],
    [401, 'AUTH_MISSING'],
    [402, 'EXECUTION_FAILED'],
    [403, 'AUTH_MISSING'],
    [404, 'NOT_FOUND'],
    [408, 'SERVER_ERROR'],
    [409, 'CONFLICT'],
    [423, 'LOCK'],
    [429, 'RATE_LIMITED'],
    [500, 'SERVER_ERROR'],
    [599, 'SERVER_ERROR'],
  ])('status %i is %s', (status, code) => {
    expect(codeForStatus(status)).toBe(code);
  });

  it('hostile: an error body is quoted in part, and only where it is expected', async () => {
    const long = { error: { message: 'x'.repeat(5000) } };
    const quoted = await vendorFailure(Response.json(long, { status: 400 }), VENDOR);
    expect(quoted.message.length).toBeLessThan(400);
    const odd = await vendorFailure(new Response('<html>', { status: 500 }), VENDOR);
    expect(odd.message).toBe('Lamps answered with status 500.');
    const huge = await vendorFailure(new Response('x'.repeat(200_000), { status: 500 }), VENDOR);
    expect(huge.message).toBe('Lamps answered with status 500.');
  });

  it('is data when it fits, and EXECUTION_FAILED otherwise', async () => {
    const shape = { safeParse: (data: unknown) => ({ success: true, data }) };
    expect(await vendorData(Response.json({ a: 1 }), VENDOR, shape)).toEqual({ a: 1 });
    await expect(vendorData(new Response('no'), VENDOR, shape)).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
    });
  });

  it('hostile: textAt reads own fields only', () => {
    expect(textAt({ a: [{ b: 'x' }] }, 'a', 0, 'b')).toBe('x');
    expect(textAt({}, 'constructor', 'name')).toBeUndefined();
    expect(textAt({ a: 1 }, 'a')).toBeUndefined();
    expect(textAt(null, 'a')).toBeUndefined();
  });
});
