/**
 * Plain jobs, 64 at once: bare promises, the queue in memory, the queue in SQLite with every step synced,
 * and BullMQ on a Redis that syncs every command. Prints jobs a second, best of the rounds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';

const DIST = process.env.TOOLCRIB_DIST ?? new URL('../dist', import.meta.url).pathname;
const JOBS = Number(process.env.BENCH_JOBS ?? 20_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONCURRENCY = 64;
const BATCH = 1_000;
/** What BullMQ 6 does on a comparable idle machine with appendfsync always. */
const TARGET = 15_800;

const load = (path) => import(join(DIST, path));
const { createRuntime } = await load('index.js');
const { createSqliteStore } = await load('stores/sqlite/create-sqlite-store.js');
const { sqliteDepsOf } = await load('stores/sqlite/sqlite-store.js');
const { createSqliteQueue } = await load('queues/sqlite/create-sqlite-queue.js');
const { createMemoryQueue } = await load('queues/memory/create-memory-queue.js');

const newJob = (n) => ({
  ...{ id: `job-${n}`, queue: 'bench', type: 'bench', payload: { n }, priority: 0, retries: 3 },
  caller: {
    ...{ userId: 'local', agentId: 'local', sessionId: 'local', loopId: 'local' },
    ...{ roles: ['owner'], permissions: ['*'], isolation: 'none' },
  },
  backoff: { initialMs: 1_000, factor: 2, maxMs: 60_000 },
  ...{ runAt: 0, createdAt: Date.now() },
});

const rate = (from) => Math.round(JOBS / ((performance.now() - from) / 1_000));

/** Adds all jobs, then lets a worker run them; jobs a second of each half. */
const measure = async (queue) => {
  const adding = performance.now();
  for (let n = 0; n < JOBS; n += BATCH) {
    await queue.add(Array.from({ length: BATCH }, (_, at) => newJob(n + at)));
  }
  const added = rate(adding);
  let done = 0;
  const running = performance.now();
  await new Promise((over) => {
    queue.work({
      ...{ queue: 'bench', concurrency: CONCURRENCY },
      run: async () => {
        done += 1;
        if (done === JOBS) over();
        return { state: 'completed' };
      },
    });
  });
  const ran = rate(running);
  await queue.close();
  return { added, ran };
};

const barePromises = async () => {
  let next = 0;
  const handler = async () => ({ state: 'completed' });
  const from = performance.now();
  const worker = async () => {
    while (next < JOBS) {
      next += 1;
      await handler();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { ran: rate(from) };
};

const inSqlite = async () => {
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? import.meta.dirname, '.jobs-'));
  const runtime = createRuntime();
  const store = await createSqliteStore({ path: join(folder, 'state.db'), runtime });
  try {
    return await measure(createSqliteQueue({ ...sqliteDepsOf(store), runtime }));
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const answers = (port) =>
  new Promise((done) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.end());
  });

const inBullMq = async () => {
  const { Queue, Worker } = await import('bullmq');
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? import.meta.dirname, '.jobs-'));
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const settings = [
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--save',
    '',
    '--dir',
    folder,
  ];
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...settings]);
  try {
    while (!(await answers(port))) await new Promise((done) => setTimeout(done, 20));
    const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
    const queue = new Queue('bench', { connection });
    const adding = performance.now();
    for (let n = 0; n < JOBS; n += BATCH) {
      await queue.addBulk(
        Array.from({ length: BATCH }, (_, at) => ({ name: 'bench', data: { n: n + at } })),
      );
    }
    const added = rate(adding);
    let done = 0;
    const running = performance.now();
    const worker = new Worker('bench', async () => undefined, {
      ...{ connection, concurrency: CONCURRENCY, autorun: false },
    });
    worker.on('completed', () => {
      done += 1;
    });
    void worker.run();
    while (done < JOBS) await new Promise((next) => setImmediate(next));
    const ran = rate(running);
    await worker.close();
    await queue.close();
    return { added, ran };
  } finally {
    redis.kill();
    await once(redis, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
};

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const contenders = [
  ['bare promises', barePromises],
  ['memory', () => measure(createMemoryQueue(createRuntime()))],
  ['SQLite, synced', inSqlite],
  ...(hasRedis ? [['BullMQ, appendfsync always', inBullMq]] : []),
];

const best = new Map();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, run] of contenders) {
    const { added = 0, ran } = await run();
    const before = best.get(name) ?? { added: 0, ran: 0 };
    best.set(name, { added: Math.max(before.added, added), ran: Math.max(before.ran, ran) });
  }
}

process.stdout.write(`${JOBS} jobs, ${CONCURRENCY} at once, best of ${ROUNDS} rounds\n`);
for (const [name, { added, ran }] of best) {
  const adds = added === 0 ? '' : `, added ${added}/s`;
  process.stdout.write(`${name.padEnd(28)} ${String(ran).padStart(9)} jobs/s${adds}\n`);
}
if (!hasRedis) process.stdout.write('BullMQ was left out: redis-server is not installed.\n');
const { ran } = best.get('SQLite, synced');
const peer = best.get('BullMQ, appendfsync always')?.ran;
const ratio = peer === undefined ? '' : `, ${(ran / peer).toFixed(1)} times BullMQ`;
const isMet = ran >= TARGET || (peer !== undefined && ran >= peer);
const bar = `${TARGET} jobs/s on an idle machine, or BullMQ's figure of this run`;
process.stdout.write(`target for SQLite: ${bar}: ${isMet ? 'met' : 'missed'}${ratio}\n`);
