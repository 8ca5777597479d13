/**
 * What the Overview of the console asks for, over HTTP, of a SQLite store with ten million recorded calls.
 * Filling such a store takes half an hour: BENCH_OVERVIEW_STORE names a file to keep it in, and to find it
 * in again.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadProduct, loadServer } from './product.mjs';
import { recordCalls } from './recorded-calls.mjs';
import { runIfMain, target } from './report.mjs';
import { summarize } from './statistics.mjs';

export const title = 'overview: figures of ten million recorded calls';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const MAX_MS = 300;

/** As the page asks: whole steps, the present one last. */
const PERIODS = [
  { name: '1 h', step: 'minute', stepMs: MINUTE, steps: 60 },
  { name: '24 h', step: 'hour', stepMs: HOUR, steps: 24 },
  { name: '7 d', step: 'hour', stepMs: HOUR, steps: 168 },
  { name: '30 d', step: 'day', stepMs: DAY, steps: 30 },
];

const rangeOf = ({ stepMs, steps }, now) => {
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: to - steps * stepMs, to };
};

/** Every request that the page makes for a period when it opens. */
const requestsOf = (period, now) => {
  const { from, to } = rangeOf(period, now);
  const today = Math.floor(now / DAY) * DAY;
  const month = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1);
  return {
    history: `/v1/metrics?from=${from}&to=${to}&step=${period.step}`,
    tools: `/v1/metrics/tool?from=${from}&to=${to}&limit=200`,
    heat: `/v1/metrics/heat?from=${from}&to=${to}`,
    'heat of a tool': `/v1/metrics/heat?from=${from}&to=${to}&tool=tool_3`,
    'history of a tool': `/v1/metrics?from=${from}&to=${to}&step=${period.step}&tool=tool_3`,
    today: `/v1/metrics?from=${today}&to=${today + DAY}&step=day`,
    month: `/v1/metrics?from=${month}&to=${today + DAY}&step=day`,
    usage: '/v1/usage',
    running: '/v1/executions/running',
    approvals: '/v1/approvals?state=waiting&limit=200',
    quarantine: '/v1/tools?enabled=false&limit=200',
    jobs: '/v1/jobs/queues',
    blocked: '/v1/flows/runs?status=blocked&limit=200',
  };
};

const openStore = async (folder, calls) => {
  const path = process.env.BENCH_OVERVIEW_STORE ?? join(folder, 'crib.db');
  const isNew = !existsSync(path);
  const { createCrib } = await loadProduct();
  const crib = await createCrib({ store: { sqlite: path }, tools: [], builtins: false });
  if (isNew) {
    const stop = crib.keepCounting();
    await recordCalls(crib, calls);
    await stop();
  }
  return crib;
};

const serve = async (crib, folder) => {
  const { openServer, loadConfig, createRuntime, createTokenService } = await loadServer();
  const env = { TOOLCRIB_HOME: join(folder, 'home') };
  const runtime = createRuntime();
  const server = await openServer({
    crib,
    runtime,
    env,
    version: '0.0.0',
    host: '127.0.0.1',
    port: 0,
    loaded: await loadConfig({ cwd: folder, env }),
    doctor: async () => [],
    describe: () => '',
  });
  const tokens = async () => (await crib.store()).tokens;
  const service = createTokenService({ runtime, randomBytes, tokens });
  const { token } = await service.create(
    { name: `bench-${randomBytes(4).toString('hex')}`, role: 'viewer' },
    'bench',
  );
  const ask = async (path) => {
    const answer = await fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  return { ask, close: () => server.close() };
};

const timed = async (run) => {
  const start = performance.now();
  await run();
  return performance.now() - start;
};

const timesOf = async (rounds, run) => {
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await timed(run));
  return samples;
};

const rowOf = (name, samples, more) => {
  const { median, best, spread } = summarize(samples);
  return { name, value: median, best, unit: 'ms', spread, ...more };
};

const answers = async ({ ask }, { rounds, calls }) => {
  const rows = [];
  const { points } = await ask('/v1/metrics?from=0&step=day');
  // In the afternoon of the last whole day: a range that ends with a day would be read from few rows.
  const now = (points.at(-2)?.start ?? 0) + 17.4 * HOUR;
  const recorded = points.reduce((sum, point) => sum + point.calls, 0);
  if (recorded < calls) throw new Error(`The store has ${recorded} calls, not ${calls}.`);
  for (const period of PERIODS) {
    const requests = requestsOf(period, now);
    const all = () => Promise.all(Object.values(requests).map(ask));
    const first = await timed(all);
    const met = (samples) => target(`≤ ${MAX_MS} ms`, summarize(samples).median <= MAX_MS);
    const samples = await timesOf(rounds, all);
    const name = `${period.name}: the whole page at once (first time ${Math.round(first)} ms)`;
    rows.push(rowOf(name, samples, { target: met(samples) }));
    for (const part of ['history', 'tools', 'heat', 'heat of a tool']) {
      const own = await timesOf(rounds, () => ask(requests[part]));
      rows.push(rowOf(`${period.name}: ${part}`, own, { target: met(own) }));
    }
  }
  return rows;
};

export const measure = async ({ quick }) => {
  const pace = quick ? { calls: 50_000, rounds: 3 } : { calls: 10_000_000, rounds: 9 };
  const data = join(import.meta.dirname, '.data');
  mkdirSync(data, { recursive: true });
  const folder = mkdtempSync(join(data, 'overview-'));
  try {
    const store = mkdtempSync(join(folder, 'store-'));
    const crib = await openStore(store, pace.calls);
    const server = await serve(crib, store);
    const rows = await answers(server, pace);
    await server.close();
    await crib.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await runIfMain(import.meta.url, title, measure);
