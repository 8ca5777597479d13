/**
 * What counting adds to a governed call. Two cribs on SQLite take turns: the rows of one are counted as a
 * server counts them, those of the other never. The verdict goes by processor time, because the time of a
 * sync differs more from round to round than counting costs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openCrib } from './crib-under-test.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'counting: what the figures of calls cost, SQLite, 64 calls at once';

const MAX_RATIO = 1.05;
const CALLS_A_ROUND = 20_000;
const AT_ONCE = 64;
const WARM_ROUNDS = 2;
/** The first round of counting comes after ten seconds; from then on rows are counted as they are written. */
const FIRST_COUNT_MS = 11_000;

const processorMicros = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the processor time and the time of one call, in µs. */
const timed = async (work) => {
  const [start, startMicros] = [performance.now(), processorMicros()];
  await work();
  return {
    processor: (processorMicros() - startMicros) / CALLS_A_ROUND,
    elapsed: ((performance.now() - start) * 1000) / CALLS_A_ROUND,
  };
};

const manyCalls = async (crib, tool) => {
  for (let done = 0; done < CALLS_A_ROUND; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => crib.execute(tool, { a: 1, b: 2 })));
  }
};

/** Who goes first changes from round to round: the second pays for the garbage of the first. */
const takeTurns = async (round, { counted, plain }) => {
  const times = {};
  const order = round % 2 === 0 ? ['plain', 'counted'] : ['counted', 'plain'];
  for (const name of order) times[name] = await timed(name === 'plain' ? plain : counted);
  return times;
};

const rowsOf = (tool, times) => {
  const of = (who, what) => times.map((round) => round[who][what]);
  return ['processor', 'elapsed'].map((what) => {
    const [counted, plain] = [of('counted', what), of('plain', what)];
    const { median, best, spread } = summarize(counted);
    const ratio = pairedRatio(counted, plain);
    const verdict = target(`≤ ${MAX_RATIO} times the time`, ratio <= MAX_RATIO);
    return {
      name: `${tool}, counted: ${what} time`,
      value: median,
      best,
      unit: 'µs/call',
      spread,
      ratios: { 'not counted': ratio },
      ...(what === 'processor' && { target: verdict }),
    };
  });
};

const measureTool = async (tool, rounds, { crib, other }) => {
  const contenders = {
    plain: () => manyCalls(other, tool),
    counted: async () => {
      await manyCalls(crib, tool);
      // Writes the counts of the round.
      await crib.metrics.summary();
    },
  };
  const times = [];
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    const turn = await takeTurns(Math.abs(round), contenders);
    if (round >= 0) times.push(turn);
  }
  return rowsOf(tool, times);
};

export const measure = async ({ quick }) => {
  const data = join(import.meta.dirname, '.data');
  mkdirSync(data, { recursive: true });
  const folder = mkdtempSync(join(data, 'counting-'));
  try {
    const open = (name) => openCrib({ store: 'sqlite', folder: mkdtempSync(join(folder, name)) });
    const [crib, other] = [await open('counted-'), await open('plain-')];
    const stop = crib.keepCounting();
    await new Promise((resolve) => setTimeout(resolve, FIRST_COUNT_MS));
    const rows = [];
    for (const tool of ['add', 'add_write']) {
      rows.push(...(await measureTool(tool, quick ? 4 : 16, { crib, other })));
    }
    await stop();
    for (const each of [crib, other]) await each.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await runIfMain(import.meta.url, title, measure);
