import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../create-crib.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const operation = (operationId: string) => ({ get: { operationId, responses: {} } });

describe('the rate limit of a source', () => {
  it('counts the calls of all its tools together, each caller for itself', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-rate-'));
    opened.push(() => rm(root, { recursive: true, force: true }));
    const server = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(() => server.close());
    const paths = { '/a': operation('first'), '/b': operation('second'), '/c': operation('third') };
    await writeFile(join(root, 'api.json'), JSON.stringify({ openapi: '3.1.0', paths }));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const labels = { trust: 'trusted', sensitivity: 'public' };
    const api = { document: 'api.json', baseUrl, labels, rateLimit: { maxPerHour: 2 } };
    const crib = await createCribHost({
      builtins: false,
      store: 'memory',
      home: root,
      root,
      policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
      config: {
        registry: { lock: 'off' },
        sources: { openapi: { api } },
        tools: { third: { rateLimit: { maxPerHour: 1 } } },
      } as never,
    });
    opened.push(() => crib.close());
    const call = async (name: string, userId: string) => {
      const { success, error } = await crib.execute(name, {}, { userId });
      return success || error?.code;
    };
    expect(await call('first', 'ada')).toBe(true);
    expect(await call('second', 'ada')).toBe(true);
    expect(await call('first', 'ada')).toBe('RATE_LIMITED');
    expect(await call('first', 'bob')).toBe(true);
    expect(await call('third', 'ada')).toBe(true);
    expect(await call('third', 'ada')).toBe('RATE_LIMITED');
  });
});
