/**
 * A flow of three steps, started and awaited: one after the other and 64 at once, beside bare promises
 * and the flows of other libraries. And what a step costs above the call that it makes.
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { race } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, pairedRatio, summarize } from './statistics.mjs';

export const title = 'flow: three steps, governed and journaled';

const from = './flow-contenders.mjs';
const memory = 'Toolcrib, memory';
const durable = 'Toolcrib, SQLite, durable';
const dbos = 'DBOS, PostgreSQL, durable';
const packages = {
  'LangGraph, memory': '@langchain/langgraph',
  'Mastra workflow, memory': '@mastra/core',
  [dbos]: '@dbos-inc/dbos-sdk',
};

const isInstalled = (name) => existsSync(join(import.meta.dirname, 'node_modules', name));

/** Names those who take part, and prints how to install the others. */
const presentPeers = () => {
  const missing = Object.entries(packages).filter(([, name]) => !isInstalled(name));
  for (const [peer, name] of missing) console.log(`${peer} is not installed: npm i ${name}`);
  const absent = new Set(missing.map(([peer]) => peer));
  return ['bare promises', ...Object.keys(packages).filter((peer) => !absent.has(peer))];
};

/** Starts the server of DBOS and tells the contenders its address; none is needed without DBOS. */
const openServer = async (peers) => {
  if (!peers.includes(dbos)) return undefined;
  try {
    const { startServer } = await import('./postgres-server.mjs');
    const server = await startServer(process.env.BENCH_POSTGRES_URL);
    process.env.BENCH_POSTGRES_URL = server.url;
    return server;
  } catch (error) {
    console.log(`${dbos} is not measured: ${error.message}`);
    return undefined;
  }
};

const MANY = 64;
const MAX_MS = 2;
const MIN_FLOWS = 2_000;
const MAX_STEP_US = 20;

const ratiosOf = (name, timings) =>
  Object.fromEntries(
    Object.keys(timings)
      .filter((peer) => peer !== memory && peer !== durable)
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
  const peers = presentPeers();
  const server = await openServer(peers);
  const names = [memory, durable, ...peers.filter((peer) => peer !== dbos || server)];
  const entrants = names.map((contender) => ({ contender, from }));
  let timings;
  try {
    timings = await race(entrants, pace);
  } finally {
    await server?.stop();
  }
  return [
    ...names.map((name) => aloneRow(name, timings[1])),
    ...names.map((name) => manyRow(name, timings[MANY])),
    await stepRow(quick ? 8 : 20),
  ];
};

await runIfMain(import.meta.url, title, measure);
