/**
 * Calls every operation of the hand-written documents in test/fixtures/openapi. The server reads each
 * request back with readers of its own, checks it against the document, and answers as the document says.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCrib } from '../../src/crib/create-crib.ts';

interface Found {
  readonly method: string;
  readonly path: string;
}

interface BedServer {
  close(): Promise<void>;
}

interface Bed {
  readonly operationsOf: (document: unknown) => readonly Found[];
  readonly startBedServer: () => Promise<BedServer>;
  readonly callOperation: (call: {
    readonly document: unknown;
    readonly found: Found;
    readonly server: BedServer;
    readonly createCrib: typeof createCrib;
    readonly folder: string;
  }) => Promise<unknown>;
}

const load = (name: string): Promise<unknown> =>
  import(new URL(`../../scripts/openapi/${name}.mjs`, import.meta.url).href);

const bed = {
  ...((await load('document')) as object),
  ...((await load('bed-server')) as object),
  ...((await load('call-operation')) as object),
} as Bed;

const readFixture = (name: string): unknown => {
  const file = new URL(`../fixtures/openapi/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
};

const CASES = ['parameters', 'bodies', 'credentials'].flatMap((name) => {
  const document = readFixture(name);
  return bed
    .operationsOf(document)
    .map((found) => [name, found.method, found.path, { document, found }] as const);
});

describe('an operation of an OpenAPI document sends what it declares and checks what it gets', () => {
  let server: BedServer;
  let folders: string;

  beforeAll(async () => {
    server = await bed.startBedServer();
    folders = mkdtempSync(join(tmpdir(), 'toolcrib-openapi-'));
  });

  afterAll(async () => {
    await server.close();
    rmSync(folders, { recursive: true, force: true });
  });

  it.each(CASES)('%s: %s %s', async (_name, _method, _path, { document, found }) => {
    // A folder of its own: what was read of a source is kept there.
    const folder = mkdtempSync(join(folders, 'crib-'));
    const outcome = await bed.callOperation({ document, found, server, createCrib, folder });
    expect(outcome).toEqual({ ok: true });
  });
});
