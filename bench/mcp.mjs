/**
 * One MCP call from a thin client to the same stdio server: directly, through Toolcrib with
 * everything switched on, and through the proxies of others, which check and record nothing. Each is
 * held against those that speak to the client in the same way.
 */
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { contenders } from './mcp-contenders.mjs';
import { scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, pairedRatio, summarize } from './statistics.mjs';

export const title = 'mcp: client → proxy → stdio server';

const AT_ONCE = 32;

const enter = async ([name, { open, over, peer = false }]) => {
  const folder = await scratchFolder();
  const client = await open(folder);
  const leave = async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { name, over, peer, client, leave, latency: [], time: [], processor: [] };
};

/** Milliseconds of the middle call, one after the other. */
const inTurn = async ({ client }, calls) => {
  const samples = [];
  for (let i = 0; i < calls; i++) {
    const start = performance.now();
    await client.call(`word ${i}`);
    samples.push(performance.now() - start);
  }
  return median(samples);
};

/** Milliseconds a call, with many under way at any time, and those of the processor. */
const atOnce = async ({ client }, calls) => {
  let next = 0;
  const caller = async () => {
    for (let i = next++; i < calls; i = next++) await client.call(`word ${i}`);
  };
  const busy = client.processor();
  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return {
    time: (performance.now() - start) / calls,
    processor: (client.processor() - busy) / 1000 / calls,
  };
};

const race = async (entrants, { rounds, turns, many, warm }) => {
  for (const entrant of entrants) await atOnce(entrant, warm);
  for (let round = 0; round < rounds; round++) {
    for (const entrant of entrants) {
      entrant.latency.push(await inTurn(entrant, turns));
      const { time, processor } = await atOnce(entrant, many);
      entrant.time.push(time);
      entrant.processor.push(processor);
    }
  }
};

/** The peer over the same transport whose rounds are the shortest, by the median. */
const fastest = ({ over }, entrants, of) =>
  entrants
    .filter((other) => other.peer && other.over === over)
    .sort((one, other) => median(one[of]) - median(other[of]))[0];

const ratiosOf = (entrant, entrants, of) =>
  Object.fromEntries(
    entrants
      .filter(({ name, over }) => over === entrant.over && !name.startsWith('Toolcrib'))
      .map((other) => [other.name, pairedRatio(entrant[of], other[of])]),
  );

const TARGETS = {
  latency: { text: (peer) => `median no worse than ${peer}`, most: 1 },
  time: { text: (peer) => `2 times the throughput of ${peer}`, most: 0.5 },
};

const UNITS = {
  latency: { title: 'one by one', unit: 'ms', of: (ms) => ms },
  time: { title: `${AT_ONCE} at once`, unit: 'calls/s', of: (ms) => 1000 / ms },
  processor: { title: 'processor', unit: 'µs/call', of: (ms) => ms * 1000 },
};

const JUDGED = ['Toolcrib, stdio', 'Toolcrib, HTTP'];

const rowOf = (entrant, entrants, of) => {
  const { median: ms, best, spread } = summarize(entrant[of]);
  const { title: what, unit, of: inUnit } = UNITS[of];
  const name = `${entrant.name}, ${what}`;
  const row = { name, value: inUnit(ms), best: inUnit(best), unit, spread };
  if (!entrant.name.startsWith('Toolcrib')) return row;
  const ratios = ratiosOf(entrant, entrants, of);
  if (!TARGETS[of] || !JUDGED.includes(entrant.name)) return { ...row, ratios };
  const { name: peer } = fastest(entrant, entrants, of);
  const { text, most } = TARGETS[of];
  return { ...row, ratios, target: target(text(peer), ratios[peer] <= most) };
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
  return Object.keys(UNITS).flatMap((of) => entrants.map((one) => rowOf(one, entrants, of)));
};

await runIfMain(import.meta.url, title, measure);
