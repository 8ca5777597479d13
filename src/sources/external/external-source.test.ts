import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ExternalSettings, SourceDriver } from '../../contract/source-driver.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { ExternalSource } from './external-source.ts';
import { createReadingCache } from './reading-cache.ts';

const SETTINGS: ExternalSettings = {
  name: 'lamps',
  kind: 'openapi',
  enabled: true,
  toolTiers: {},
  headers: {},
  timeoutMs: 1000,
  maxOutputBytes: 1000,
  own: { document: 'lamps.json' },
};

interface Definition {
  readonly operations: readonly string[];
}

/** Reads what `offer` says now; refuses operations whose name begins with a digit. */
const driverOf = (offer: () => Definition, files: readonly string[] = []): SourceDriver => ({
  kind: 'openapi',
  locationOf: () => 'lamps.json',
  read: async () => ({ definition: offer(), files }),
  build: (definition, _settings, { refuse }) =>
    (definition as Definition).operations.flatMap((name) => {
      if (/^\d/.test(name)) refuse({ name, reason: 'its name begins with a digit' });
      else
        return [
          defineTool({ name, description: name, tier: 'read_only', input: {}, run: () => name }),
        ];
      return [];
    }),
});

const open = async (driver: SourceDriver, folder?: string, project = '/project') => {
  const runtime = createRuntime({});
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  return new ExternalSource(SETTINGS, {
    driver,
    runtime,
    cache: createReadingCache(folder, project),
    buildDeps: { runtime, redact },
    readDeps: () => ({}) as never,
    close: async () => undefined,
  });
};

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'toolcrib-sources-'));

describe('the test of a source', () => {
  it('asks the service, with what was read', async () => {
    const pings: unknown[] = [];
    const driver: SourceDriver = {
      ...driverOf(() => ({ operations: ['on'] })),
      ping: async (definition) => void pings.push(definition),
    };
    const source = await open(driver);
    await source.test(AbortSignal.timeout(1000));
    expect(pings).toEqual([{ operations: ['on'] }]);
    expect(source.status().state).toBe('unread');
    const down = { ...driver, ping: () => Promise.reject(new Error('it is down')) };
    await expect((await open(down)).test(AbortSignal.timeout(1000))).rejects.toThrow('is down');
  });
});

describe('an API as a source of tools', () => {
  it('is read once, and by the next process from the cache', async () => {
    const folder = await newFolder();
    let reads = 0;
    const driver = driverOf(() => {
      reads += 1;
      return { operations: ['on', 'off', '1st'] };
    });
    const first = await open(driver, folder);
    expect(first.status()).toMatchObject({ state: 'unread', tools: 0 });
    expect((await first.load()).map(({ name }) => name)).toEqual(['on', 'off']);
    const refused = [{ name: '1st', reason: 'its name begins with a digit' }];
    expect(first.status()).toMatchObject({ state: 'ready', tools: 2, refused });
    await (await open(driver, folder)).load();
    expect(reads).toBe(1);
  });

  it('threat: a project never gets what another one with the same paths was read from', async () => {
    const folder = await newFolder();
    const file = join(await newFolder(), 'lamps.json');
    await writeFile(file, '1');
    const namesIn = async (project: string, name: string) => {
      const source = await open(
        driverOf(() => ({ operations: [name] }), [file]),
        folder,
        project,
      );
      return (await source.load()).map((tool) => tool.name);
    };
    expect(await namesIn('/hostile', 'evil')).toEqual(['evil']);
    expect(await namesIn('/mine', 'good')).toEqual(['good']);
    // From the cache of its own project.
    expect(await namesIn('/mine', 'other')).toEqual(['good']);
  });

  it('is read again by the next process when a file that it came from has changed', async () => {
    const folder = await newFolder();
    const file = join(await newFolder(), 'lamps.json');
    await writeFile(file, '1');
    let operations = ['on'];
    const names = async () => {
      const source = await open(
        driverOf(() => ({ operations }), [file]),
        folder,
      );
      return (await source.load()).map(({ name }) => name);
    };
    expect(await names()).toEqual(['on']);
    operations = ['on', 'off'];
    expect(await names()).toEqual(['on']);
    await writeFile(file, 'longer');
    expect(await names()).toEqual(['on', 'off']);
  });

  it('tells what a second reading changed, and keeps its tools when one fails', async () => {
    let offer = (): Definition => ({ operations: ['on', 'off'] });
    const source = await open(driverOf(() => offer()));
    await source.load();
    let reports = 0;
    source.watch(() => {
      reports += 1;
    });
    offer = () => ({ operations: ['on', 'dim'] });
    const signal = new AbortController().signal;
    const change = { added: ['dim'], removed: ['off'], changed: [] };
    expect(await source.refresh(signal)).toEqual(change);
    expect(reports).toBe(1);
    offer = () => {
      throw new ToolFailure('NETWORK', 'no answer for hunter2');
    };
    await expect(source.refresh(signal)).rejects.toThrow('no answer');
    expect(source.status()).toMatchObject({
      state: 'failed',
      tools: 2,
      lastError: 'no answer for ***',
    });
    expect((await source.load()).length).toBe(2);
  });

  it('waits for a login where the reading needs one', async () => {
    const source = await open(
      driverOf(() => {
        throw new ToolFailure('AUTH_MISSING', 'log in');
      }),
    );
    await expect(source.load()).rejects.toThrow('log in');
    expect(source.status().state).toBe('needs_login');
  });

  it('is read again when a file that it came from changes', async () => {
    const file = join(await newFolder(), 'lamps.json');
    await writeFile(file, '1');
    let operations = ['on'];
    const source = await open(driverOf(() => ({ operations }), [file]));
    await source.load();
    const changed = new Promise<void>((resolve) => {
      source.watch(resolve);
    });
    operations = ['on', 'off'];
    await writeFile(file, '2');
    await changed;
    expect(source.status().tools).toBe(2);
    await source.close();
  });
});
