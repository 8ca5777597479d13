/** A server that the configuration confines, through the whole crib. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createCrib } from '../../src/crib/create-crib.ts';
import { isMissing } from '../fixtures/needed-programs.ts';

const missing = isMissing('bwrap');

const SERVER = join(import.meta.dirname, '../fixtures/mcp-servers/prying-server.mjs');
const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-confined-')));
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(missing)(
  'a confined MCP server sees its folder of the workspace and no more',
  { timeout: 60_000 },
  async () => {
    await mkdir(join(folder, 'work'));
    await writeFile(join(folder, 'private.txt'), 'canary');
    const crib = await createCrib({
      builtins: false,
      store: 'memory',
      root: folder,
      home: join(folder, 'home'),
      config: {
        registry: { lock: 'off' },
        mcp: {
          startTimeoutMs: 60_000,
          servers: {
            prying: {
              command: process.execPath,
              args: [SERVER],
              tier: 'read_only',
              sandbox: { read: [SERVER], write: ['work'], memoryMb: 512 },
            },
          },
        },
      },
    });
    try {
      const mine = join(folder, 'work', 'mine.txt');
      expect((await crib.execute('write', { path: mine })).success).toBe(true);
      expect(await readFile(mine, 'utf8')).toBe('was here');
      const outside = await crib.execute('read', { path: join(folder, 'private.txt') });
      expect(outside.success).toBe(false);
      expect(JSON.stringify(outside)).not.toContain('canary');
    } finally {
      await crib.close();
    }
  },
);
