/** Threat: somebody changes the trail after the last checkpoint that a person made. */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { auditService } from './audit-files.ts';
import { createCribHost } from './create-crib.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-checkpoints-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const database = () => join(root, 'state.db');
const home = () => join(root, 'home');
const elsewhere = () => join(root, 'elsewhere', 'checkpoints.jsonl');

const open = (to: string | undefined, egress: object = {}): Promise<CribHost> =>
  createCribHost({
    builtins: false,
    tools: [aTool()],
    store: { sqlite: database() },
    home: home(),
    config: { audit: { checkpoints: { every: 3, ...(to !== undefined && { to }) } }, egress },
  } as never);

const call = async (crib: CribHost, count: number, text = 'a'): Promise<void> => {
  for (let n = 0; n < count; n++) await crib.execute('echo', { text });
};

/** A person signs after five calls; after that automatic ones follow with the next calls. */
const history = async (): Promise<void> => {
  const first = await open(undefined);
  await call(first, 5);
  await first.audit.checkpoint();
  await first.close();
  await copyFile(database(), `${database()}.old`);
  const second = await open(elsewhere());
  await call(second, 8);
  await second.close();
};

const change = (sql: string): void => {
  const { DatabaseSync } = sqlite();
  const db = new DatabaseSync(database());
  // Whoever can write the file can take the triggers away, too.
  for (const { name } of db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    .all()) {
    db.exec(`DROP TRIGGER ${name}`);
  }
  db.exec(sql);
  db.close();
};

const sqlite = () => {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url)('@photostructure/sqlite') as {
    DatabaseSync: new (
      path: string,
    ) => {
      exec(sql: string): void;
      prepare(sql: string): { all(): readonly { readonly name: string }[] };
      close(): void;
    };
  };
};

/** By what has left the machine alone: whoever changed the trail also emptied the user's own book. */
const verify = async () => {
  await rm(join(home(), 'checkpoints.jsonl'), { force: true });
  const crib = await open(undefined);
  try {
    const store = await crib.store();
    const asked = { files: [], checkpointFiles: [elsewhere()], publicKeys: [], store };
    return await auditService(home()).verify(asked);
  } finally {
    await crib.close();
  }
};

const removeWal = async (): Promise<void> => {
  for (const ending of ['-wal', '-shm']) await rm(`${database()}${ending}`, { force: true });
};

const KINDS: readonly (readonly [string, () => Promise<void> | void])[] = [
  ['the end is cut off', () => change('DELETE FROM audit WHERE seq > 6')],
  ['a row is edited', () => change("UPDATE audit SET tool = 'other' WHERE seq = 9")],
  ['a row is taken out', () => change('DELETE FROM audit WHERE seq = 8')],
  [
    'an old copy is restored',
    async () => {
      await removeWal();
      await copyFile(`${database()}.old`, database());
    },
  ],
  [
    'everything after the last manual checkpoint is written anew',
    async () => {
      await removeWal();
      await copyFile(`${database()}.old`, database());
      const crib = await open(undefined);
      await call(crib, 8, 'something else');
      await crib.close();
    },
  ],
];

describe('threat: tampering after the last checkpoint that a person made', () => {
  it.each(KINDS)('is found when %s', { timeout: 60_000 }, async (_title, tamper) => {
    await history();
    await tamper();
    expect((await verify()).ok).toBe(false);
  });

  it('benign: a trail that nobody touched is whole', { timeout: 60_000 }, async () => {
    await history();
    expect(await verify()).toMatchObject({ ok: true, checkpoints: 1 });
  });
});

describe('a checkpoint that goes to an address', () => {
  const received: unknown[] = [];
  let server: Server;
  let status = 204;
  beforeEach(async () => {
    received.length = 0;
    status = 204;
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += piece;
      });
      request.on('end', () => {
        if (status === 204) received.push(JSON.parse(text));
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  });
  afterEach(() => void server.close());

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`;

  it('is posted there by the rules of egress', { timeout: 60_000 }, async () => {
    const crib = await open(url(), { allowPrivate: ['127.0.0.1'] });
    await call(crib, 4);
    await crib.close();
    expect(received).toMatchObject([{ version: 1, seq: 4 }]);
  });

  it('a private address that is not allowed gets nothing, and calls go on', {
    timeout: 60_000,
  }, async () => {
    const crib = await open(url());
    await call(crib, 4);
    expect((await crib.execute('echo', {})).success).toBe(true);
    await crib.close();
    expect(received).toEqual([]);
  });

  it('one that was refused is posted by the next process', { timeout: 60_000 }, async () => {
    status = 503;
    const first = await open(url(), { allowPrivate: ['127.0.0.1'] });
    await call(first, 4);
    await first.close();
    status = 204;
    const second = await open(url(), { allowPrivate: ['127.0.0.1'] });
    await second.store();
    await second.close();
    expect(received).toMatchObject([{ seq: 4 }]);
  });
});

describe('without a place', () => {
  it('no checkpoint is made', async () => {
    const crib = await open(undefined);
    await call(crib, 4);
    await crib.close();
    await expect(readFile(join(home(), 'checkpoints.jsonl'))).rejects.toThrow('ENOENT');
  });
});
