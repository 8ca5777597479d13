/** Searching a catalog of 10,000 tools: exact words, several words, typos and nonsense. */
import { rm } from 'node:fs/promises';
import { openCrib } from './crib-under-test.mjs';
import { scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { median, quantile, summarize } from './statistics.mjs';

export const title = 'search: 10,000 tools';

const most = 5;
const queries = [
  'invoice',
  'fetch invoice',
  'send ticket archive',
  'encrypted customer ledger',
  'fetch_invoice_warehouse_0',
  'invoise',
  'custmer legder',
  'calender dashbord',
  'validate a signed route in the repository',
  'zzyzx',
];

const timeOf = (work) => {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
};

/** Every query in every round, so that a slow spell of the machine hits them all. */
const timeQueries = (tools, rounds) => {
  const samples = new Map(queries.map((query) => [query, []]));
  for (let round = 0; round < rounds; round++) {
    for (const query of queries) samples.get(query).push(timeOf(() => tools.search(query)));
  }
  return samples;
};

const assertFinds = (tools, query) => {
  if (tools.search(query).length === 0) throw new Error(`"${query}" finds nothing`);
};

export const measure = async ({ quick }) => {
  const folder = await scratchFolder();
  const crib = await openCrib({ store: 'memory', folder, tools: 10_000 });
  try {
    const first = timeOf(() => crib.tools.search('invoice'));
    for (const query of queries.slice(0, -1)) assertFinds(crib.tools, query);
    timeQueries(crib.tools, 3);
    const samples = timeQueries(crib.tools, quick ? 20 : 100);
    const all = [...samples.values()].flat();
    const rows = [...samples].map(([query, times]) => {
      const { median: value, best, spread } = summarize(times);
      const verdict = target(`< ${most} ms`, value < most);
      return { name: `"${query}"`, value, best, unit: 'ms', spread, target: verdict };
    });
    return [
      { name: 'first search, index and all', value: first, unit: 'ms' },
      { name: 'any query', value: median(all), unit: 'ms' },
      { name: 'any query, 99th percentile', value: quantile(all, 0.99), unit: 'ms' },
      ...rows,
    ];
  } finally {
    await crib.close();
    await rm(folder, { recursive: true, force: true });
  }
};

await runIfMain(import.meta.url, title, measure);
