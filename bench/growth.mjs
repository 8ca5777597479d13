/**
 * The same call in a crib with a long history and a large catalog, against an empty one. Both
 * take turns, and the ratio is taken round by round.
 */
import { race } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'growth: full audit trail and catalog against empty ones';

const most = 1.1;
const cases = [
  { contender: 'Toolcrib, memory', concurrency: 1 },
  { contender: 'Toolcrib, SQLite, read-only', concurrency: 64 },
  { contender: 'Toolcrib, SQLite, write', concurrency: 64 },
];

const rowOf = async ({ contender, concurrency }, { rows, tools, ...pace }) => {
  const entrants = [
    { contender, as: 'empty' },
    { contender, as: 'grown', rows, tools },
  ];
  const timings = (await race(entrants, { ...pace, concurrency: [concurrency] }))[concurrency];
  const { empty, grown } = timings;
  const { median, best, spread } = summarize(grown.samples);
  const ratio = pairedRatio(grown.samples, empty.samples);
  const size = `${rows.toLocaleString('en-GB')} rows, ${tools.toLocaleString('en-GB')} tools`;
  return {
    name: `${contender}, ${concurrency} at once, ${size}`,
    value: median / 1000,
    best: best / 1000,
    unit: 'µs/call',
    spread,
    ratios: { 'an empty one': ratio },
    target: target(`≤ ${most} times the time`, ratio <= most),
  };
};

export const measure = async ({ quick }) => {
  const pace = quick
    ? { rows: 50_000, tools: 10_000, rounds: 11, warmMs: 500, roundMs: 50 }
    : { rows: 1_000_000, tools: 10_000, rounds: 81, warmMs: 2000, roundMs: 100 };
  const rows = [];
  for (const one of cases) rows.push(await rowOf(one, pace));
  return rows;
};

await runIfMain(import.meta.url, title, measure);
