/**
 * A call over HTTP, with token, policy, budget and a durable trail, against a bare Hono that parses
 * the same body and sends it back. All take turns under the same 64 connections. The call reads, so its
 * record is synced up to 20 ms after the answer; with “every record synced first”, before it. What a request
 * costs the processor of the server is told as well: a busy machine distorts it less.
 */
import { Pool } from 'undici';
import { startServers } from './http-child.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title =
  'http: POST execute at 64 connections, durable trail, against a bare Hono echo';

const connections = 64;
const least = 0.5;

const requestTo = ({ agent }) => ({
  method: 'POST',
  path: agent === undefined ? '/echo' : '/v1/tools/add/execute',
  headers: {
    'content-type': 'application/json',
    ...(agent !== undefined && { authorization: `Bearer ${agent}` }),
  },
});

/** Never the same twice: a caller that repeats itself is taken for one in a loop. */
const bodyOf = (a) => JSON.stringify({ input: { a, b: 3 } });

const once = async (pool, request, a) => {
  const { statusCode, body } = await pool.request({ ...request, body: bodyOf(a) });
  const answer = await body.json();
  if (statusCode !== 200) throw new Error(`${request.path} answered ${statusCode}`);
  return answer;
};

/** Nanoseconds a request, on the clock and on the processor of the server. */
const round = async ({ pool, request, numbers, server }, ms) => {
  const busy = await server.cpu();
  const started = performance.now();
  let answered = 0;
  const worker = async () => {
    while (performance.now() - started < ms) {
      await once(pool, request, numbers.next++);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const took = performance.now() - started;
  return {
    clock: (took * 1e6) / answered,
    cpu: (((await server.cpu()) - busy) * 1e3) / answered,
  };
};

const check = async ({ pool, request, name }) => {
  const answer = await once(pool, request, 2);
  const right = name === 'echo' ? answer.input.a === 2 : answer.success && answer.data === 5;
  if (!right) throw new Error(`${name} answered something else: ${JSON.stringify(answer)}`);
};

const labels = {
  echo: 'bare Hono echo',
  toolcrib: 'Toolcrib, every stage, durable',
  strict: 'Toolcrib, every record synced first',
};

const perSecondRow = (name, samples) => {
  const clock = (of) => samples[of].map((sample) => sample.clock);
  const { median, best, spread } = summarize(clock(name));
  const row = {
    name: labels[name],
    value: 1e9 / median,
    best: 1e9 / best,
    unit: 'requests/s',
    spread,
  };
  if (name === 'echo') return row;
  const share = 1 / pairedRatio(clock(name), clock('echo'));
  const text = `≥ ${least} of the echo’s requests a second (${share.toFixed(2)})`;
  return {
    ...row,
    ratios: { [labels.echo]: 1 / share },
    target: target(text, share >= least),
  };
};

const processorRow = (name, samples) => {
  const cpu = (of) => samples[of].map((sample) => sample.cpu);
  const { median, best, spread } = summarize(cpu(name));
  const ratio = pairedRatio(cpu(name), cpu('echo'));
  return {
    name: `${labels[name]}: processor`,
    value: median / 1e3,
    best: best / 1e3,
    unit: 'µs/request',
    spread,
    ...(name !== 'echo' && { ratios: { [labels.echo]: ratio } }),
  };
};

export const measure = async ({ quick }) => {
  const { rounds, warmMs, roundMs } = quick
    ? { rounds: 5, warmMs: 1500, roundMs: 600 }
    : { rounds: 11, warmMs: 4000, roundMs: 1500 };
  const names = Object.keys(labels);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const servers = await startServers(names);
  const runs = servers.map((server, at) => ({
    name: names[at],
    numbers: { next: 100 },
    server,
    request: requestTo(server),
    pool: new Pool(server.url, { connections, pipelining: 1 }),
  }));
  for (const run of runs) {
    await check(run);
    await round(run, warmMs);
  }
  for (let at = 0; at < rounds; at++) {
    for (const run of runs) samples[run.name].push(await round(run, roundMs));
  }
  await Promise.all(runs.map(({ pool }) => pool.close()));
  await Promise.all(servers.map(({ stop }) => stop()));
  return [
    ...names.map((name) => perSecondRow(name, samples)),
    ...names.map((name) => processorRow(name, samples)),
  ];
};

await runIfMain(import.meta.url, title, measure);
