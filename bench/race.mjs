/**
 * Lets contenders take turns, round after round, each in its own process, so that a machine that
 * is slow for a while is slow for everybody.
 */
import { fork } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

const dataFolder = join(import.meta.dirname, '.data');

/** A fresh folder on the disk that holds the repository, for stores that must really sync. */
export const scratchFolder = async () => {
  await mkdir(dataFolder, { recursive: true });
  return mkdtemp(join(dataFolder, 'run-'));
};

const nextReply = (child, name) =>
  new Promise((resolve, reject) => {
    const exited = (code) => reject(new Error(`${name}: the process ended with code ${code}`));
    child.once('exit', exited);
    child.once('message', (reply) => {
      child.off('exit', exited);
      if (reply.error === undefined) resolve(reply);
      else reject(new Error(`${name}: ${reply.error}`));
    });
  });

/** An entrant is `{ contender, ...setup }`; `as` tells two of the same contender apart. */
const enter = async ({ as, execArgv = [], ...entrant }) => {
  const name = as ?? entrant.contender;
  const folder = await scratchFolder();
  const child = fork(
    join(import.meta.dirname, 'worker.mjs'),
    [JSON.stringify({ ...entrant, folder })],
    { execArgv },
  );
  try {
    await nextReply(child, name);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const ask = (request) => {
    const reply = nextReply(child, name);
    child.send(request);
    return reply;
  };
  const leave = async () => {
    if (child.exitCode === null && child.connected) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.send({ close: true });
      await gone;
    }
    await rm(folder, { recursive: true, force: true });
  };
  return { name, ask, leave, calls: 0, samples: [], p50: [], p99: [] };
};

/** Warms up for `warmMs`, then sets how many calls fill a round of `roundMs`. */
const calibrate = async (contender, { warmMs, roundMs, concurrency }) => {
  let calls = Math.max(200, concurrency * 4);
  let spent = 0;
  for (;;) {
    const { ns } = await contender.ask({ calls, concurrency });
    spent += ns / 1e6;
    const fitting = Math.round((calls * roundMs * 1e6) / ns);
    calls = Math.min(Math.max(fitting, concurrency * 2, 20), calls * 8);
    if (spent >= warmMs) break;
  }
  contender.calls = calls;
};

const round = async (contender, concurrency) => {
  const { ns, p50, p99 } = await contender.ask({ calls: contender.calls, concurrency });
  contender.samples.push(ns / contender.calls);
  if (p50 !== undefined) {
    contender.p50.push(p50);
    contender.p99.push(p99);
  }
};

/** One set-up of the rounds for the contenders that have entered. */
const measure = async (entered, pace) => {
  for (const contender of entered) {
    Object.assign(contender, { samples: [], p50: [], p99: [] });
    await calibrate(contender, pace);
  }
  for (let i = 0; i < pace.rounds; i++) {
    // Each round starts with another contender: who comes after whom must not matter.
    for (let j = 0; j < entered.length; j++) {
      await round(entered[(i + j) % entered.length], pace.concurrency);
    }
  }
  return Object.fromEntries(
    entered.map(({ name, samples, p50, p99 }) => [name, { samples, p50, p99 }]),
  );
};

/**
 * Races the entrants once for each concurrency. Returns, per concurrency, name → samples in
 * nanoseconds a call, one a round, and the latencies in milliseconds where there are any.
 */
export const race = async (entrants, pace) => {
  const entered = [];
  try {
    for (const entrant of entrants) entered.push(await enter(entrant));
    const results = {};
    for (const concurrency of pace.concurrency) {
      results[concurrency] = await measure(entered, { ...pace, concurrency });
    }
    return results;
  } finally {
    await Promise.allSettled(entered.map((contender) => contender.leave()));
  }
};
