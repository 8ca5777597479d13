import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ODD_SERVER } from '../../test/fixtures/mcp-servers/some-servers.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { defineTool } from '../contract/define-tool.ts';
import { ToolFailure } from '../contract/errors.ts';
import { RetryPolicies } from '../contract/retry.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { createSqliteStore } from '../stores/sqlite/create-sqlite-store.ts';
import { createCribHost } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import type { CribOptions } from './crib-options.ts';

describe('createCrib', () => {
  it('loads the tools that ship, and leaves the store alone until a call needs it', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-lazy-'));
    const crib = await createCribHost({ root });
    expect(crib.tools.list().length).toBeGreaterThan(10);
    await crib.close();
    await expect(rm(join(root, '.toolcrib'), { recursive: true })).rejects.toThrow('ENOENT');
    await rm(root, { recursive: true });
  });

  it('refuses settings that are not valid, naming each', async () => {
    const config = { execution: { maxConcurrentTools: -1 }, storr: {} } as never;
    await expect(createCribHost({ config })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'execution.maxConcurrentTools' }),
      ]),
    });
  });

  it.each(['nope', 'db.example.com/toolcrib', 'mysql://db', 'postgres://', 'http://db'])(
    'refuses %j as the address of a store at once',
    async (postgres) => {
      await expect(createCribHost({ store: { postgres } })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('postgres://user@host:5432/database'),
      });
    },
  );

  it('takes an address, and a secret that holds one, before a connection is needed', async () => {
    for (const postgres of ['postgresql:///crib?host=/run/postgresql', `\${secret:STORE_URL}`]) {
      const crib = await createCribHost({ store: { postgres }, builtins: false });
      await crib.close();
    }
  });

  it('answers with a result when the store cannot be opened, and recovers when it can', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-nostore-'));
    await writeFile(join(root, '.toolcrib'), 'a file where a folder should be');
    let ran = 0;
    const crib = await createCribHost({
      root,
      builtins: false,
      tools: [aTool({ run: () => ++ran })],
    });
    const refused = await crib.execute('echo', {});
    expect([refused.error?.code, ran]).toEqual(['STORE_UNAVAILABLE', 0]);
    await rm(join(root, '.toolcrib'));
    expect((await crib.execute('echo', {})).success).toBe(true);
    await crib.close();
    await rm(root, { recursive: true });
  });

  it('close waits for running calls; after it calls are refused', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const run = () => new Promise((resolve) => (finish = resolve));
    const crib = await createCribHost({
      store: 'memory',
      builtins: false,
      tools: [aTool({ run })],
    });
    const call = crib.execute('echo', {});
    await crib.store();
    const closing = crib.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    finish('done');
    expect((await call).data).toBe('done');
    await closing;
    expect((await crib.execute('echo', {})).error?.code).toBe('STORE_UNAVAILABLE');
  });

  it.each([
    ['memory', async () => createMemoryStore()],
    ['SQLite', () => createSqliteStore({ path: ':memory:', runtime: createRuntime() })],
  ])('takes a store of %s that the program made', async (_, create) => {
    const store = await create();
    const crib = await createCribHost({ store, builtins: false, tools: [aTool()] });
    await crib.execute('echo', {});
    expect(await store.audit.query()).toHaveLength(1);
  });
});

describe('tools from outside the package', () => {
  const YAML =
    'name: mine\ndescription: d\nschema: {type: object}\ncode: export const run = () => 1';

  const withTools = async (config: NonNullable<CribOptions['config']>) => {
    const home = await mkdtemp(join(tmpdir(), 'toolcrib-outside-'));
    const files = async () => new Map([['mine.yml', Buffer.from(YAML)]]);
    const servers = { odd: { command: process.execPath, args: [ODD_SERVER] } };
    const crib = await createCribHost({
      home,
      root: home,
      builtins: false,
      store: 'memory',
      watch: false,
      tools: [aTool({ name: 'given' })],
      customTools: { folder: home, files },
      config: { mcp: { servers }, registry: { lock: 'off' }, ...config },
    });
    const end = async (): Promise<void> => {
      await crib.close();
      await rm(home, { recursive: true });
    };
    return { crib, end, names: crib.tools.list().map(({ tool }) => tool.name) };
  };

  it('run in the configured default sandbox when they name none', async () => {
    const { crib, end } = await withTools({ mcp: {}, sandbox: { default: 'process' } });
    expect(crib.tools.get('mine')?.tool.sandbox).toMatchObject({ type: 'process' });
    await end();
  });

  it('are loaded by default', async () => {
    const { names, end } = await withTools({});
    expect(names).toEqual(expect.arrayContaining(['given', 'mine']));
    expect(names.length).toBeGreaterThan(2);
    await end();
  });

  it('are not loaded when registry.autoDiscovery is off, but servers can still be tested', async () => {
    const registry = { lock: 'off', autoDiscovery: false } as const;
    const { crib, names, end } = await withTools({ registry });
    expect(names).toEqual(['given']);
    expect(crib.servers.list()).toMatchObject([{ name: 'odd', state: 'idle' }]);
    await crib.servers.test('odd');
    expect(crib.servers.list()).toMatchObject([{ state: 'ready' }]);
    await end();
    expect(crib.servers.list()).not.toMatchObject([{ state: 'ready' }]);
  });
});

it('a circuit opens by the rate of failures that the configuration names', async () => {
  let calls = 0;
  const flaky = defineTool({
    name: 'flaky',
    description: 'Fails every second time.',
    tier: 'read_only' as const,
    input: {},
    server: 'shop',
    retry: RetryPolicies.NONE,
    run: () => {
      calls += 1;
      if (calls % 2 === 0) throw new ToolFailure('SERVER_ERROR', 'no');
      return calls;
    },
  });
  const errorRate = { max: 0.4, windowMs: 60_000, minCalls: 4 };
  const config = { execution: { breaker: { errorRate } } };
  const crib = await createCribHost({ builtins: false, tools: [flaky], store: 'memory', config });
  const codes: (string | undefined)[] = [];
  for (let n = 0; n < 6; n++) codes.push((await crib.execute('flaky', {})).error?.code);
  await crib.close();
  expect(codes.at(-1)).toBe('CIRCUIT_OPEN');
});
