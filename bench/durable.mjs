/**
 * SQLite with full sync: how many calls a second come back with their audit rows on the disk, at
 * several concurrencies, beside the peers, who write nothing.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { peers } from './contenders.mjs';
import { race, scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, pairedRatio, summarize } from './statistics.mjs';

export const title = 'durable: SQLite, full sync';

const TMPFS = 0x01021994;
const floors = { 'Toolcrib, SQLite, read-only': 28_000, 'Toolcrib, SQLite, write': 15_000 };
const ours = [...Object.keys(floors), 'Toolcrib, SQLite, write with declared effect'];

/** One 4 KiB write and sync after the other: the floor that a single caller stands on. */
const syncRow = async () => {
  const folder = await scratchFolder();
  if ((await statfs(folder)).type === TMPFS) {
    throw new Error('The benchmark folder is in memory, where a sync means nothing.');
  }
  const file = openSync(join(folder, 'sync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const samples = [];
  for (let i = 0; i < 400; i++) {
    const start = process.hrtime.bigint();
    writeSync(file, page, 0, page.length, i * page.length);
    fdatasyncSync(file);
    samples.push(Number(process.hrtime.bigint() - start));
  }
  closeSync(file);
  await rm(folder, { recursive: true, force: true });
  const { median: middle, spread } = summarize(samples);
  return { name: 'one write + sync of this disk', value: 1e9 / middle, unit: 'a second', spread };
};

const rowOf = (name, concurrency, timings) => {
  const { samples, p50, p99 } = timings[name];
  const { median: ns, best, spread } = summarize(samples);
  const value = 1e9 / ns;
  const floor = concurrency === 64 ? floors[name] : undefined;
  return {
    name: `${name}, ${concurrency} at once`,
    value,
    best: 1e9 / best,
    unit: 'calls/s',
    spread,
    ...(p50.length > 0 && { latencyMs: { p50: median(p50), p99: median(p99) } }),
    ratios: Object.fromEntries(
      peers.map((peer) => [peer, pairedRatio(samples, timings[peer].samples)]),
    ),
    ...(floor !== undefined && {
      target: target(`≥ ${floor.toLocaleString('en-GB')} calls/s`, value >= floor),
    }),
  };
};

export const measure = async ({ quick }) => {
  const concurrency = [1, 64, 1000];
  const pace = quick
    ? { concurrency, rounds: 5, warmMs: 500, roundMs: 100 }
    : { concurrency, rounds: 15, warmMs: 2000, roundMs: 250 };
  const sync = await syncRow();
  const timings = await race(
    [...ours, ...peers].map((contender) => ({ contender })),
    pace,
  );
  return [
    sync,
    ...ours.flatMap((name) => concurrency.map((many) => rowOf(name, many, timings[many]))),
  ];
};

await runIfMain(import.meta.url, title, measure);
