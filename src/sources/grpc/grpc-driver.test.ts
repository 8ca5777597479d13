import { afterEach, describe, expect, it } from 'vitest';
import { createGrpcBench, newFolder } from '../../../test/fixtures/grpc-crib.ts';
import { shopDescriptors } from '../../../test/fixtures/grpc-server.ts';

const bench = createGrpcBench();
afterEach(() => bench.close());

/** What is assumed where the user says nothing but that the results are trusted. */
const OPEN = { trust: 'trusted', sensitivity: 'private', sink: true };

const WAIT = { timeout: 30_000 };

const at = ({ port }: { readonly port: number }): string => `127.0.0.1:${port}`;

describe('the tools of a gRPC server with reflection', () => {
  it('are its unary and server-streaming methods; the others are refused with a reason', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const tiers = crib.tools.list().map(({ tool: { name, tier } }) => [name, tier]);
    expect(Object.fromEntries(tiers)).toEqual({
      Orders_Get: 'read_only',
      Orders_Put: 'external_api',
      Orders_Fail: 'external_api',
      Orders_Watch: 'read_only',
      Orders_Echo: 'external_api',
      Orders_Say: 'external_api',
    });
    const [status] = crib.sources.list();
    expect(status).toMatchObject({ state: 'ready', tools: 6 });
    expect(status?.refused).toEqual([
      { name: 'shop.v1.Orders/Upload', reason: expect.stringContaining('stream') },
      { name: 'shop.v1.Orders/Talk', reason: expect.stringContaining('both directions') },
    ]);
  });

  it('are read by v1alpha where the server has no v1', async () => {
    const crib = await bench.crib({ address: at(await bench.start({ reflection: 'v1alpha' })) });
    expect(crib.sources.list()[0]).toMatchObject({ state: 'ready', tools: 6 });
  });

  it('are missing where the server has no reflection, and the reason names the setting', async () => {
    const crib = await bench.crib({ address: at(await bench.start({ reflection: 'none' })) });
    const [status] = crib.sources.list();
    expect(status).toMatchObject({ state: 'failed', tools: 0 });
    expect(status?.lastError).toContain('no reflection');
  });

  it('are there without the server at the next start', async () => {
    const server = await bench.start();
    const home = await newFolder();
    await bench.crib({ address: at(server) }, { home });
    server.stop();
    const crib = await bench.crib({ address: at(server) }, { home });
    expect(crib.tools.list()).toHaveLength(6);
    const result = await crib.execute('Orders_Echo', {});
    expect(result.error).toMatchObject({ code: 'NETWORK', retryable: true });
  });

  it('are those that include and exclude leave, under the names they have without filters', async () => {
    const crib = await bench.crib({
      address: at(await bench.start()),
      include: ['Orders/*'],
      exclude: ['shop.v1.Orders/Fail', '*/Talk', '*/Upload', 'Orders/E*', '*/Say'],
    });
    const names = crib.tools.list().map(({ tool }) => tool.name);
    expect(names.sort()).toEqual(['Orders_Get', 'Orders_Put', 'Orders_Watch']);
    expect(crib.sources.list()[0]?.refused).toEqual([]);
  });

  it('have the tiers and labels that the user gives them', async () => {
    const crib = await bench.crib({
      address: at(await bench.start()),
      tier: 'write',
      labels: { trust: 'trusted' },
      tools: { Orders_Get: { tier: 'execute', sink: false } },
    });
    expect(crib.tools.get('Orders_Get')?.tool).toMatchObject({
      tier: 'execute',
      assigned: { trust: 'trusted', sensitivity: 'private', sink: false },
    });
    expect(crib.tools.get('Orders_Put')?.tool).toMatchObject({ tier: 'write', assigned: OPEN });
  });

  it('are those of the services that the server lists, whatever else its files describe', async () => {
    const services = ['shop.v1.Other'];
    const crib = await bench.crib({
      address: at(await bench.start({ reflected: { services, files: () => shopDescriptors() } })),
    });
    expect(crib.tools.list()).toEqual([]);
    const reason = expect.stringContaining('do not describe');
    expect(crib.sources.list()[0]?.refused).toEqual([{ name: 'shop.v1.Other', reason }]);
  });

  it('keep their connection when the source is read again', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server) });
    await crib.execute('Orders_Get', { orderId: 'o1' });
    const { change } = await crib.sources.refresh('shop');
    expect(change).toEqual({ added: [], removed: [], changed: [] });
    await crib.execute('Orders_Get', { orderId: 'o1' });
    expect(server.peers.size).toBe(1);
  });

  it('tell the health that the server tells', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server) });
    const tool = crib.tools.get('Orders_Get')?.tool;
    expect(await tool?.healthCheck?.()).toEqual({ healthy: true, message: 'SERVING' });
    server.health = 2;
    expect(await tool?.healthCheck?.()).toEqual({ healthy: false, message: 'NOT_SERVING' });
    server.stop();
    expect(await tool?.healthCheck?.()).toMatchObject({ healthy: false });
  });
});

describe('a unary call', () => {
  it('sends the input and gives the answer, absent values filled in', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const order = {
      orderId: 'o2',
      cents: '9007199254740993',
      state: 'SHIPPED',
      priority: 0,
      placedAt: '2026-01-31T12:00:00.000000001Z',
      caller: '',
      lines: [{ article: 'lamp', count: 2 }],
    };
    const put = await crib.execute('Orders_Put', order);
    expect(put).toMatchObject({ success: true, data: order });
    const got = await crib.execute('shop.Orders_Get', { orderId: 'o2' });
    expect(got.data).toEqual(order);
    const first = await crib.execute('Orders_Get', { orderId: 'o1' });
    expect(first.data).toEqual({
      orderId: 'o1',
      cents: '1250',
      state: 'OPEN',
      lines: [],
      caller: '',
    });
  });

  it('of a method that takes a text alone has the text as value', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    expect((await crib.execute('Orders_Say', { value: 'hi' })).data).toBe('hi');
    expect((await crib.execute('Orders_Say', {})).error?.code).toBe('VALIDATION_ERROR');
  });

  it('with an input that is no message is refused before anything is sent', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server) });
    const seen = server.seen.length;
    for (const input of [
      { orderId: 5 },
      { nothing: 1 },
      { cents: '9223372036854775808' },
      { state: 'GONE' },
      { placedAt: 'yesterday' },
      { priority: 2 ** 31 },
    ]) {
      const result = await crib.execute('Orders_Put', input);
      expect(result.error?.code, JSON.stringify(input)).toBe('VALIDATION_ERROR');
    }
    const both = await crib.execute('Orders_Echo', { text: 'a', count: 1 });
    expect(JSON.stringify(both.error)).toContain('together');
    expect(server.seen).toHaveLength(seen);
  });

  it('that is larger than allowed is not sent, and an answer that is larger is not read', async () => {
    const address = at(await bench.start());
    const crib = await bench.crib({ address, maxRequestBytes: 1000, maxOutputBytes: 500 });
    const large = await crib.execute('Orders_Echo', { stringValue: 'x'.repeat(2000) });
    expect(large.error?.code).toBe('VALIDATION_ERROR');
    const answer = await crib.execute('Orders_Echo', { stringValue: 'x'.repeat(700) });
    expect(answer.error?.code).toBe('OUTPUT_TOO_LARGE');
  });

  it('that takes too long is a timeout, and its deadline reaches the server', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server), timeoutMs: 2000 });
    const result = await crib.execute('Orders_Fail', { waitMs: 60_000 });
    expect(result.error).toMatchObject({ code: 'TIMEOUT' });
    await expect.poll(() => server.cancelled, WAIT).toBe(1);
  });

  it('that is cancelled is cancelled at the server', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server) });
    const controller = new AbortController();
    const running = crib.execute('Orders_Fail', { waitMs: 60_000 }, { signal: controller.signal });
    await expect.poll(() => server.waiting, WAIT).toBe(1);
    controller.abort();
    expect((await running).error?.code).toBe('CANCELLED');
    await expect.poll(() => server.cancelled, WAIT).toBe(1);
  });

  it('shares its connection with the others of the source', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server) });
    const calls = Array.from({ length: 50 }, () => crib.execute('Orders_Get', { orderId: 'o1' }));
    const results = await Promise.all(calls);
    expect(results.every(({ success }) => success)).toBe(true);
    expect(server.peers.size).toBe(1);
  });
});

describe('a call of a server stream', () => {
  it('gives its messages, and tells of each', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const result = await crib.execute('Orders_Watch', { count: 3 });
    expect(result.data).toEqual({
      messages: [1, 2, 3].map((number) => ({ number, text: 'x' })),
      complete: true,
    });
  });

  it('without end is cancelled after the messages that are allowed', async () => {
    const server = await bench.start();
    const crib = await bench.crib({ address: at(server), maxMessages: 7 });
    const result = await crib.execute('Orders_Watch', { count: -1 });
    const data = result.data as { readonly messages: unknown[]; readonly complete: boolean };
    expect(data.messages).toHaveLength(7);
    expect(data.complete).toBe(false);
    expect(JSON.stringify(result)).toContain('after 7 messages');
    await expect.poll(() => server.cancelled, WAIT).toBe(1);
  });

  it('with large messages keeps what fits', async () => {
    const address = at(await bench.start());
    const crib = await bench.crib({ address, maxOutputBytes: 10_000 });
    const result = await crib.execute('Orders_Watch', { count: -1, size: 3000 });
    expect(result.data).toMatchObject({ complete: false });
    expect((result.data as { messages: unknown[] }).messages).toHaveLength(3);
  });

  it('that stays open ends after maxStreamMs with what came', async () => {
    const address = at(await bench.start());
    const crib = await bench.crib({ address, maxStreamMs: 2000, maxMessages: 100_000 });
    const result = await crib.execute('Orders_Watch', { count: 2, wait: true });
    expect(result.data).toMatchObject({
      messages: [{ number: 1 }, { number: 2 }],
      complete: false,
    });
  });

  it('that stays open fails with what came when its time is over', async () => {
    const address = at(await bench.start());
    const crib = await bench.crib({ address, timeoutMs: 4000, tier: 'external_api' });
    const { error } = await crib.execute('Orders_Watch', { count: 2, wait: true });
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      partial: { messages: [{ number: 1 }, { number: 2 }], complete: false },
    });
  });

  it('fails with what came before when the server dies', async () => {
    const crib = await bench.crib({ address: at(await bench.start()) });
    const result = await crib.execute('Orders_Watch', { count: 2, die: true });
    expect(result.error).toMatchObject({
      code: 'SERVER_ERROR',
      partial: { messages: [{ number: 1 }, { number: 2 }], complete: false },
    });
  });
});
