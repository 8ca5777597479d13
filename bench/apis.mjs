/** GraphQL and gRPC sources: what a call through a tool costs beside a bare client with the same checks. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { race } from './race.mjs';
import { runIfMain } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'apis: a GraphQL and a gRPC call beside bare clients';

const PAIRS = [
  ['GraphQL over fetch', 'Toolcrib, GraphQL'],
  ['grpc-js client', 'Toolcrib, gRPC'],
];

const rowsOf = async ([bare, ours], servers, pace) => {
  const entrants = [bare, ours].map((contender) => ({
    contender,
    ...servers,
    from: './apis-contenders.mjs',
  }));
  const timings = (await race(entrants, pace))[1];
  const ratio = pairedRatio(timings[ours].samples, timings[bare].samples);
  return [bare, ours].map((name) => {
    const { median, best, spread } = summarize(timings[name].samples);
    return {
      name,
      value: median / 1000,
      best: best / 1000,
      unit: 'µs/call',
      spread,
      ...(name === ours && { ratios: { [bare]: ratio } }),
    };
  });
};

export const measure = async ({ quick }) => {
  const pace = quick
    ? { concurrency: [1], rounds: 9, warmMs: 500, roundMs: 50 }
    : { concurrency: [1], rounds: 31, warmMs: 2000, roundMs: 100 };
  const child = fork(join(import.meta.dirname, 'apis-server.mjs'));
  try {
    const [servers] = await once(child, 'message');
    const rows = [];
    for (const pair of PAIRS) rows.push(...(await rowsOf(pair, servers, pace)));
    return rows;
  } finally {
    child.disconnect();
  }
};

await runIfMain(import.meta.url, title, measure);
