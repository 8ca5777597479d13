/** What is remembered of servers between runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerSettings } from '../server-settings.ts';
import { createDefinitionCache } from './definition-cache.ts';

const settings = {
  name: 'slow',
  transport: 'stdio',
  command: 'sleep',
  args: ['60'],
  env: {},
  cwd: '/',
  url: '',
  headers: {},
} as unknown as ServerSettings;
const NOTHING = { tools: [], resources: 0, prompts: 0 };

describe('how late a server was', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is remembered for ten minutes', async () => {
    const cache = createDefinitionCache(folder);
    expect(await cache.readLateness(settings, 1000)).toBe(0);
    await cache.writeLateness(settings, { waitedMs: 2000, at: 1000 });
    expect(await cache.readLateness(settings, 1000)).toBe(2000);
    expect(await cache.readLateness(settings, 600_999)).toBe(2000);
    expect(await cache.readLateness(settings, 601_000)).toBe(0);
    expect(await cache.readLateness(settings, 999)).toBe(0);
  });

  it('is forgotten when the server answers, and does not hold for another command', async () => {
    const cache = createDefinitionCache(folder);
    await cache.writeLateness(settings, { waitedMs: 2000, at: 1000 });
    expect(await cache.readLateness({ ...settings, args: ['61'] }, 1000)).toBe(0);
    await cache.write(settings, NOTHING);
    expect(await cache.readLateness(settings, 1000)).toBe(0);
  });

  it('is nothing where the note cannot be read, or nothing is kept', async () => {
    const cache = createDefinitionCache(folder);
    await cache.writeLateness(settings, 'no note' as never);
    expect(await cache.readLateness(settings, 1000)).toBe(0);
    const none = createDefinitionCache(undefined);
    await none.writeLateness(settings, { waitedMs: 2000, at: 1000 });
    expect(await none.readLateness(settings, 1000)).toBe(0);
  });
});
