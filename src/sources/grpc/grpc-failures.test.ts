import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../test/fixtures/certificates.ts';
import { createGrpcBench, newFolder } from '../../../test/fixtures/grpc-crib.ts';
import { field } from '../../../test/fixtures/grpc-server.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';

const bench = createGrpcBench();
afterEach(() => bench.close());

const at = ({ port }: { readonly port: number }): string => `127.0.0.1:${port}`;

const secretsOf = (values: Readonly<Record<string, string>>) => ({
  name: 'test',
  get: async (key: string) => values[key],
});

/** A detail of an error, as `google.protobuf.Any`. */
const detail = (type: string, bytes: Buffer): Buffer =>
  field(3, Buffer.concat([field(1, `type.googleapis.com/google.rpc.${type}`), field(2, bytes)]));

describe('the status of a failed call', () => {
  it('of a call that may have had an effect is not to be tried again', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const { error } = await crib.execute('Orders_Fail', { code: 14 });
    expect(error).toMatchObject({ code: 'SERVER_ERROR', retryable: false });
  });

  it('has the details that the server gave: fields, when to come again, reasons', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const violation = Buffer.concat([field(1, 'lines[2].count'), field(2, 'too many\u202e')]);
    const details = Buffer.concat([
      detail('BadRequest', field(1, violation)),
      detail('RetryInfo', field(1, Buffer.from([8, 90]))),
      detail('ErrorInfo', Buffer.concat([field(1, 'QUOTA'), field(2, 'shop.test')])),
    ]);
    const input = { code: 8, message: 'no', details: details.toString('base64') };
    const { error } = await crib.execute('Orders_Fail', input);
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 90_000,
      issues: [{ path: ['lines', 2, 'count'], message: 'too many\\u202e' }],
      suggestions: expect.arrayContaining(['Reason: QUOTA (shop.test).']),
    });
  });

  it('with details that are nonsense is the status alone', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const details = Buffer.from([0x1a, 0xff, 0xff, 0xff]).toString('base64');
    const { error } = await crib.execute('Orders_Fail', { code: 3, message: 'no', details });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a server that is unavailable for one call', () => {
  const callsOf = async (method: string, settings: object, input: object) => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server), ...settings });
    server.unavailable = 1;
    const { success } = await crib.execute(method, input);
    return { success, calls: server.seen.length };
  };
  const tools = { Orders_Echo: { tier: 'read_only' } };

  it.each([
    ['Orders_Get', 'NO_SIDE_EFFECTS', {}, { orderId: 'o1' }],
    ['Orders_Put', 'IDEMPOTENT', {}, { orderId: 'o2' }],
    ['Orders_Echo', 'read_only in the settings', { tools }, {}],
  ])('is asked again by %s: %s', async (method, _why, settings, input) => {
    expect(await callsOf(method, settings, input)).toEqual({ success: true, calls: 2 });
  });

  it('is not asked again by a method that may have done something', async () => {
    expect(await callsOf('Orders_Say', {}, { value: 'a' })).toEqual({ success: false, calls: 1 });
  });
});

describe('the credentials of a gRPC source', () => {
  it('are sent as metadata, and no result shows them', async () => {
    const server = await bench.start({ authorization: 'Bearer t0ps3cret-value' });
    const secrets = secretsOf({ SHOP_TOKEN: 't0ps3cret-value', SHOP_KEY: 'k3y-of-the-shop' });
    const settings = { bearer: 'SHOP_TOKEN', metadata: { 'X-Key': `v=\${secret:SHOP_KEY}` } };
    const crib = await bench.crib({ address: at(server), ...settings }, { secrets });
    const result = await crib.execute('Orders_Get', { orderId: 'o1' });
    expect(result.success).toBe(true);
    expect(server.seen[0]?.get('x-key')).toEqual(['v=k3y-of-the-shop']);
    const { error } = await crib.execute('Orders_Fail', { code: 5, message: 'k3y-of-the-shop' });
    expect(JSON.stringify(error)).not.toContain('k3y-of-the-shop');
  });

  it('that are missing or wrong are asked for', async () => {
    const server = await bench.start({ authorization: 'Bearer right' });
    const address = at(server);
    const wrong = await bench.crib(
      { address, bearer: 'T' },
      { secrets: secretsOf({ T: 'wrong' }) },
    );
    expect((await wrong.execute('Orders_Get', {})).error?.code).toBe('AUTH_MISSING');
    const without = await bench.crib({ address, bearer: 'T' }, { secrets: secretsOf({}) });
    expect(without.sources.list()[0]).toMatchObject({
      state: 'needs_login',
      lastError: expect.stringContaining('the secret T'),
    });
  });

  it.each([
    [{ address: 'shop.example.com:50051', tls: false, bearer: 'T' }, 'without TLS'],
    [{ address: 'localhost:1', metadata: { host: 'a' } }, 'cannot be set'],
  ])('%j are refused', async (settings, reason) => {
    const crib = await bench.crib(settings, { secrets: secretsOf({ T: 'x' }) });
    expect(crib.sources.list()[0]?.lastError).toContain(reason);
  });
});

describe.skipIf(isMissing('openssl'))('a gRPC server with TLS', () => {
  const startTls = async (host: string) => {
    const folder = await newFolder();
    const authority = createAuthority(folder);
    const { key, certificate } = authority.issue(host);
    const pair = { private_key: key, cert_chain: certificate };
    const credentials = grpc.ServerCredentials.createSsl(null, [pair]);
    const server = await bench.start({ credentials });
    return { address: `localhost:${server.port}`, tls: true, ca: authority.file };
  };

  it('is called where its certificate has its name and comes from the authority', async () => {
    const crib = await bench.crib(await startTls('localhost'));
    expect(crib.sources.list()[0]).toMatchObject({ state: 'ready' });
    expect((await crib.execute('Orders_Get', { orderId: 'o1' })).success).toBe(true);
  });

  it('is refused where its certificate has another name', async () => {
    const crib = await bench.crib(await startTls('other.test'));
    expect(crib.sources.list()[0]).toMatchObject({ state: 'failed', tools: 0 });
  });

  it('is refused where its certificate comes from an authority that nobody knows', async () => {
    const { ca: _ca, ...settings } = await startTls('localhost');
    const crib = await bench.crib(settings);
    expect(crib.sources.list()[0]).toMatchObject({ state: 'failed', tools: 0 });
  });

  it('gets nothing without TLS', async () => {
    const { address } = await startTls('localhost');
    const crib = await bench.crib({ address, tls: false });
    expect(crib.sources.list()[0]).toMatchObject({ state: 'failed', tools: 0 });
  });
});
