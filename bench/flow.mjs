/**
 * A flow of three steps, started and awaited: one after the other and 64 at once, beside bare promises
 * and the flows of other libraries. And what a step costs above the call that it makes.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { race } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, pairedRatio, summarize } from './statistics.mjs';

export const title = 'flow: three steps, governed and journaled';

const from = './flow-contenders.mjs';
const memory = 'Toolcrib, memory';
const durable = 'Toolcrib, SQLite, durable';
const dbos = 'DBOS, PostgreSQL, durable';
const peers = [
  'bare promises',
  'LangGraph, memory',
  'Mastra workflow, memory',
  ...(process.env.BENCH_POSTGRES_URL === undefined ? [] : [dbos]),
];
const MANY = 64;
const MAX_MS = 2;
const MIN_FLOWS = 2_000;
const MAX_STEP_US = 20;

const ratiosOf = (name, timings) =>
  Object.fromEntries(
    peers
      .filter((peer) => peer !== name)
      .map((peer) => [peer, pairedRatio(timings[name].samples, timings[peer].samples)]),
  );

const aloneRow = (name, timings) => {
  const { median: ns, best, spread } = summarize(timings[name].samples);
  const isJudged = name === durable;
  return {
    ...{ name: `${name}, one at a time`, value: ns / 1e6, best: best / 1e6, unit: 'ms', spread },
    ...((name === memory || isJudged) && { ratios: ratiosOf(name, timings) }),
    ...(isJudged && { target: target(`≤ ${MAX_MS} ms`, ns / 1e6 <= MAX_MS) }),
  };
};

const manyRow = (name, timings) => {
  const { median: ns, best, spread } = summarize(timings[name].samples);
  const value = 1e9 / ns;
  const isJudged = name === durable;
  return {
    ...{ name: `${name}, ${MANY} at once`, value, best: 1e9 / best, unit: 'flows/s', spread },
    ...((name === memory || isJudged) && { ratios: ratiosOf(name, timings) }),
    ...(isJudged && { target: target(`≥ ${MIN_FLOWS} flows/s`, value >= MIN_FLOWS) }),
  };
};

/** Steps of one long flow and the same calls alone take turns in a process of their own. */
const stepRow = (rounds) =>
  new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'flow-steps.mjs'), [String(rounds)]);
    child.once('error', reject);
    child.once('exit', (code) => code && reject(new Error(`flow-steps ended with ${code}`)));
    child.once('message', ({ steps, calls }) => {
      const above = steps.map((us, round) => us - calls[round]);
      const value = median(above);
      resolve({
        ...{ name: 'a step above its call, memory', value, best: Math.min(...above) },
        ...{ unit: 'µs of processor', spread: summarize(above).spread },
        ratios: { 'the call alone': pairedRatio(steps, calls) },
        target: target(`≤ ${MAX_STEP_US} µs`, value <= MAX_STEP_US),
      });
    });
  });

export const measure = async ({ quick }) => {
  const concurrency = [1, MANY];
  const pace = quick
    ? { concurrency, rounds: 5, warmMs: 500, roundMs: 150 }
    : { concurrency, rounds: 15, warmMs: 2000, roundMs: 300 };
  const names = [memory, durable, ...peers];
  const timings = await race(
    names.map((contender) => ({ contender, from })),
    pace,
  );
  if (!names.includes(dbos)) {
    console.log(`${dbos} is not measured: BENCH_POSTGRES_URL names no server.`);
  }
  return [
    ...names.map((name) => aloneRow(name, timings[1])),
    ...names.map((name) => manyRow(name, timings[MANY])),
    await stepRow(quick ? 8 : 20),
  ];
};

await runIfMain(import.meta.url, title, measure);
