/**
 * The store on PostgreSQL, on a server that this benchmark starts: governed calls a second, beside plain
 * one-row commits on the same server in the same run. `DATABASE_URL` names another server instead.
 */
import pg from 'pg';
import { openCrib } from './crib-under-test.mjs';
import { startServer } from './postgres-server.mjs';
import { runIfMain, target } from './report.mjs';
import { summarize } from './statistics.mjs';

export const title = 'postgres: synced, 64 calls at once';

const AT_ONCE = 64;
const floors = { add: 10_000, add_write: 5_000 };
const names = { add: 'Toolcrib, read-only', add_write: 'Toolcrib, write' };

/** Keeps `count` calls under way for a while; answers nanoseconds a call. */
const pace = async (count, ms, call) => {
  const end = performance.now() + ms;
  let done = 0;
  const start = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (; performance.now() < end; done++) await call();
    }),
  );
  return Number(process.hrtime.bigint() - start) / done;
};

const rowOf = (name, samples, more = {}) => {
  const { median, best, spread } = summarize(samples);
  return { name, value: 1e9 / median, best: 1e9 / best, unit: 'a second', spread, ...more };
};

const measureOn = async (url, { rounds, roundMs }) => {
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  await pool.query('CREATE TABLE IF NOT EXISTS plain (id bigserial PRIMARY KEY, body text)');
  const body = 'x'.repeat(600);
  const commit = () =>
    pool.query({ name: 'plain', text: 'INSERT INTO plain (body) VALUES ($1)', values: [body] });
  const crib = await openCrib({ store: { postgres: url }, syncEveryRecord: true });
  const samples = { one: [], six: [], add: [], add_write: [] };
  const call = (tool) => async () => {
    const result = await crib.execute(tool, { a: 1, b: 2 });
    if (!result.success) throw new Error(result.error.message);
  };
  for (let round = -1; round < rounds; round++) {
    const times = {
      one: await pace(1, roundMs, commit),
      six: await pace(AT_ONCE, roundMs, commit),
      add: await pace(AT_ONCE, roundMs, call('add')),
      add_write: await pace(AT_ONCE, roundMs, call('add_write')),
    };
    if (round >= 0) for (const [name, ns] of Object.entries(times)) samples[name].push(ns);
  }
  await crib.close();
  await pool.query('DROP TABLE plain');
  await pool.end();
  const plain = summarize(samples.six).median;
  return [
    rowOf('plain one-row commits, 1 at once', samples.one),
    rowOf('plain one-row commits, 64 at once', samples.six),
    ...Object.entries(names).map(([tool, name]) => {
      const { median } = summarize(samples[tool]);
      return rowOf(name, samples[tool], {
        ratios: { 'a plain commit': median / plain },
        target: target(
          `≥ ${floors[tool].toLocaleString('en-GB')} a second`,
          1e9 / median >= floors[tool],
        ),
      });
    }),
  ];
};

export const measure = async ({ quick }) => {
  const server = await startServer(process.env.DATABASE_URL);
  try {
    return await measureOn(
      server.url,
      quick ? { rounds: 5, roundMs: 500 } : { rounds: 15, roundMs: 1000 },
    );
  } finally {
    await server.stop();
  }
};

await runIfMain(import.meta.url, title, measure);
