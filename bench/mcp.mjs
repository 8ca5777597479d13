/**
 * One MCP call from a client to the same stdio server: directly, through Toolcrib with everything
 * switched on, and through the proxies of others, which check and record nothing.
 */
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { callEcho, contenders } from './mcp-contenders.mjs';
import { scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, pairedRatio, summarize } from './statistics.mjs';

export const title = 'mcp: client → proxy → stdio server';

const AT_ONCE = 32;

const enter = async ([name, { open, peer = false }]) => {
  const folder = await scratchFolder();
  const { client, close } = await open({ folder });
  const leave = async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  };
  return { name, peer, client, leave, latency: [], time: [], count: 0 };
};

/** Milliseconds of the middle call, one after the other. */
const inTurn = async ({ client }, calls) => {
  const samples = [];
  for (let i = 0; i < calls; i++) {
    const start = performance.now();
    await callEcho(client, `word ${i}`);
    samples.push(performance.now() - start);
  }
  return median(samples);
};

/** Milliseconds a call, with many under way at any time. */
const atOnce = async ({ client }, calls) => {
  let next = 0;
  const caller = async () => {
    for (let i = next++; i < calls; i = next++) await callEcho(client, `word ${i}`);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return (performance.now() - start) / calls;
};

const race = async (entrants, { rounds, turns, many, warm }) => {
  for (const entrant of entrants) await atOnce(entrant, warm);
  for (let round = 0; round < rounds; round++) {
    for (const entrant of entrants) {
      entrant.latency.push(await inTurn(entrant, turns));
      entrant.time.push(await atOnce(entrant, many));
    }
  }
};

/** The peer whose rounds are the shortest, by the median. */
const fastest = (entrants, of) =>
  entrants.filter(({ peer }) => peer).sort((one, other) => median(one[of]) - median(other[of]))[0];

const ratiosOf = (entrant, entrants, of) =>
  Object.fromEntries(
    entrants
      .filter(({ name, peer }) => peer || name === 'direct')
      .map((other) => [other.name, pairedRatio(entrant[of], other[of])]),
  );

const TARGETS = {
  latency: { text: (peer) => `median no worse than ${peer}`, most: 1 },
  time: { text: (peer) => `2 times the throughput of ${peer}`, most: 0.5 },
};

const rowOf = (entrant, entrants, of) => {
  const { median: ms, best, spread } = summarize(entrant[of]);
  const isRate = of === 'time';
  const row = {
    name: `${entrant.name}, ${isRate ? `${AT_ONCE} at once` : 'one by one'}`,
    value: isRate ? 1000 / ms : ms,
    best: isRate ? 1000 / best : best,
    unit: isRate ? 'calls/s' : 'ms',
    spread,
  };
  if (!entrant.name.startsWith('Toolcrib')) return row;
  const ratios = ratiosOf(entrant, entrants, of);
  if (entrant.name !== 'Toolcrib, stdio') return { ...row, ratios };
  const { name } = fastest(entrants, of);
  const { text, most } = TARGETS[of];
  return { ...row, ratios, target: target(text(name), ratios[name] <= most) };
};

export const measure = async ({ quick }) => {
  const pace = quick
    ? { rounds: 5, turns: 50, many: 640, warm: 1000 }
    : { rounds: 15, turns: 100, many: 1600, warm: 4000 };
  const entrants = [];
  try {
    for (const contender of Object.entries(contenders)) entrants.push(await enter(contender));
    await race(entrants, pace);
  } finally {
    await Promise.all(entrants.map(({ leave }) => leave()));
  }
  console.log(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  return ['latency', 'time'].flatMap((of) => entrants.map((one) => rowOf(one, entrants, of)));
};

await runIfMain(import.meta.url, title, measure);
