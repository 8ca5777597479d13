/** Threat: somebody changes the trail after the last checkpoint that a person made. */
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { createCribHost } from '../create-crib.ts';
import { auditService, type VerifyRequest } from './audit-files.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-checkpoints-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const database = () => join(root, 'state.db');
const home = () => join(root, 'home');
const elsewhere = () => join(root, 'elsewhere', 'checkpoints.jsonl');

const secondStore = () => join(root, 'second', 'checkpoints.db');

interface OpenOptions {
  readonly egress?: object;
  readonly secret?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly log?: (entry: string) => void;
}

const open = (to: string | undefined, options: OpenOptions = {}): Promise<CribHost> => {
  const { egress = {}, secret, secrets = {}, log = () => undefined } = options;
  const write = (message: string, detail?: unknown) => log(`${message} ${JSON.stringify(detail)}`);
  return createCribHost({
    builtins: false,
    tools: [aTool()],
    store: { sqlite: database() },
    home: home(),
    secrets: { get: async (key: string) => secrets[key] },
    runtime: { log: { debug: write, info: write, warn: write, error: write } },
    config: {
      audit: {
        checkpoints: { every: 3, ...(to !== undefined && { to }), ...(secret && { secret }) },
      },
      egress,
    },
  } as never);
};

const call = async (crib: CribHost, count: number, text = 'a'): Promise<void> => {
  for (let n = 0; n < count; n++) await crib.execute('echo', { text });
};

/** A person signs after five calls; after that automatic ones follow with the next calls. */
const history = async (to: string): Promise<void> => {
  const first = await open(undefined);
  await call(first, 5);
  await first.audit.checkpoint();
  await first.close();
  await copyFile(database(), `${database()}.old`);
  const second = await open(to);
  await call(second, 8);
  await second.close();
};

const change = (sql: string, file = database()): void => {
  const { DatabaseSync } = sqlite();
  const db = new DatabaseSync(file);
  // An attacker who can write the file can remove the triggers, too.
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

/** Verifies by what has left the machine alone: the attacker also removed the local checkpoints. */
const verify = async (request: Pick<VerifyRequest, 'destination' | 'checkpointFiles'>) => {
  await rm(join(home(), 'checkpoints.jsonl'), { force: true });
  const crib = await open(undefined);
  try {
    const store = await crib.store();
    return await auditService(home()).verify({ files: [], publicKeys: [], store, ...request });
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
  const inFile = () => ({ checkpointFiles: [elsewhere()] });

  it.each(KINDS)('is found by a file elsewhere when %s', { timeout: 60_000 }, async (_, tamper) => {
    await history(elsewhere());
    await tamper();
    expect((await verify(inFile())).ok).toBe(false);
  });

  it('benign: an untouched trail verifies', { timeout: 60_000 }, async () => {
    await history(elsewhere());
    expect(await verify(inFile())).toMatchObject({ ok: true, checkpoints: 1 });
  });
});

describe('threat: tampering after the last checkpoint, with a second store', () => {
  const destination = () => `sqlite:${secondStore()}`;
  const configured = () => ({ checkpointFiles: [], destination: destination() });
  beforeEach(() => mkdir(join(root, 'second')));

  it.each(KINDS)('is found by the second store when %s', { timeout: 60_000 }, async (_, tamper) => {
    await history(destination());
    await tamper();
    expect((await verify(configured())).ok).toBe(false);
  });

  it('is found when the second store is named by hand', { timeout: 60_000 }, async () => {
    await history(destination());
    change('DELETE FROM audit WHERE seq > 6');
    const named = await verify({ checkpointFiles: [destination()] });
    expect(named).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  it('benign: an untouched trail verifies', { timeout: 60_000 }, async () => {
    await history(destination());
    expect(await verify(configured())).toMatchObject({ ok: true, checkpoints: 1 });
  });

  it.each([
    ['a checkpoint is removed', 'DELETE FROM audit WHERE seq = 1'],
    ['a checkpoint is edited', "UPDATE audit SET detail = replace(detail, 'sqlite at', 'x at')"],
  ])('the second store itself counts as changed when %s', { timeout: 60_000 }, async (_, sql) => {
    await history(destination());
    const third = await open(destination());
    await call(third, 4);
    await third.close();
    change(sql, secondStore());
    const report = await verify(configured());
    expect(report).toMatchObject({ ok: false, problem: { kind: 'bad-checkpoint' } });
  });

  it('a second store that is gone is reported, and not created', { timeout: 60_000 }, async () => {
    await history(destination());
    await rm(join(root, 'second'), { recursive: true });
    expect(await verify(configured())).toMatchObject({ ok: true, missing: destination() });
    await expect(verify({ checkpointFiles: [destination()] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(readFile(secondStore())).rejects.toThrow('ENOENT');
  });

  it('a disk that is not mounted gets no folder in its place; calls continue and the next process delivers', {
    timeout: 60_000,
  }, async () => {
    await rm(join(root, 'second'), { recursive: true });
    const first = await open(destination());
    await call(first, 4);
    expect((await first.execute('echo', {})).success).toBe(true);
    await first.close();
    await expect(readFile(secondStore())).rejects.toThrow('ENOENT');
    await mkdir(join(root, 'second'));
    const second = await open(destination());
    await second.store();
    await second.close();
    expect(await verify(configured())).toMatchObject({ ok: true, checkpoints: 1 });
  });

  it('a store takes no checkpoints of itself', { timeout: 60_000 }, async () => {
    const logged: string[] = [];
    const crib = await open(`sqlite:${database()}`, { log: (entry) => logged.push(entry) });
    await call(crib, 4);
    await crib.close();
    expect(logged.join()).toContain('names the store that the checkpoints are of');
  });
});

describe('a checkpoint that goes to an address', () => {
  const received: unknown[] = [];
  const authorizations: (string | undefined)[] = [];
  const paths: (string | undefined)[] = [];
  let server: Server;
  let status = 204;
  beforeEach(async () => {
    for (const list of [received, authorizations, paths]) list.length = 0;
    status = 204;
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += piece;
      });
      request.on('end', () => {
        paths.push(request.url);
        authorizations.push(request.headers.authorization);
        if (status === 204) received.push(JSON.parse(text));
        response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
      });
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  });
  afterEach(() => void server.close());

  const LOOPBACK = { allowPrivate: ['127.0.0.1'] };
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`;

  it('is posted there by the rules of egress', { timeout: 60_000 }, async () => {
    const crib = await open(url(), { egress: LOOPBACK });
    await call(crib, 4);
    await crib.close();
    expect(received).toMatchObject([{ version: 1, seq: 4 }]);
  });

  it('a private address that is not allowed gets nothing, and calls continue', {
    timeout: 60_000,
  }, async () => {
    const crib = await open(url());
    await call(crib, 4);
    expect((await crib.execute('echo', {})).success).toBe(true);
    await crib.close();
    expect(received).toEqual([]);
  });

  it('is posted by the next process when the address refused it', { timeout: 60_000 }, async () => {
    status = 503;
    const first = await open(url(), { egress: LOOPBACK });
    await call(first, 4);
    await first.close();
    status = 204;
    const second = await open(url(), { egress: LOOPBACK });
    await second.store();
    await second.close();
    expect(received).toMatchObject([{ seq: 4 }]);
  });

  it('a redirect is no delivery and is not followed', { timeout: 60_000 }, async () => {
    status = 302;
    const crib = await open(url(), { egress: LOOPBACK });
    await call(crib, 4);
    await crib.close();
    expect(new Set(paths)).toEqual(new Set(['/notes']));
  });

  it('carries the secret that the setting names as a bearer token', {
    timeout: 60_000,
  }, async () => {
    const secrets = { NOTES_TOKEN: 'tok-1234567890\n', OTHER: 'other' };
    const crib = await open(url(), { egress: LOOPBACK, secret: 'NOTES_TOKEN', secrets });
    await call(crib, 4);
    await crib.close();
    expect(received).toMatchObject([{ seq: 4 }]);
    expect(authorizations).toEqual(['Bearer tok-1234567890']);
  });

  it('carries no token when no secret is named', { timeout: 60_000 }, async () => {
    const crib = await open(url(), { egress: LOOPBACK, secrets: { NOTES_TOKEN: 'tok' } });
    await call(crib, 4);
    await crib.close();
    expect(authorizations).toEqual([undefined]);
  });

  it.each([
    ['is not there', {}, 'There is no secret NOTES_TOKEN.'],
    ['is empty', { NOTES_TOKEN: ' ' }, 'There is no secret NOTES_TOKEN.'],
    ['has a line break', { NOTES_TOKEN: 'tok-12\r\nx-evil: 1' }, 'cannot be sent in a header'],
  ])(
    'nothing is sent and no value is logged when the secret %s',
    {
      timeout: 60_000,
    },
    async (_, secrets, words) => {
      const logged: string[] = [];
      const log = (entry: string) => void logged.push(entry);
      const crib = await open(url(), { egress: LOOPBACK, secret: 'NOTES_TOKEN', secrets, log });
      await call(crib, 4);
      await crib.close();
      expect(paths).toEqual([]);
      expect(logged.join()).toContain(words);
      expect(logged.join()).not.toContain('tok-12');
    },
  );
});

describe('without a destination', () => {
  it('no automatic checkpoint is made', async () => {
    const crib = await open(undefined);
    await call(crib, 4);
    await crib.close();
    await expect(readFile(join(home(), 'checkpoints.jsonl'))).rejects.toThrow('ENOENT');
  });
});
