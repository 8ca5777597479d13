/** One call after the other: what the whole pipeline on a memory store costs beside the peers. */
import { peers } from './contenders.mjs';
import { race } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'execute: one call at a time, memory store, every stage on';

const ours = 'Toolcrib, memory';
const metered = 'Toolcrib, memory, metered tool';
/** Mastra's bare call, which checks and records nothing, is shown beside them and is no target. */
const rivals = ['LangChain', 'OpenAI Agents'];
const most = 6;

const targetOf = (timings) => {
  const { median } = summarize(timings[ours].samples);
  const slowerThan = rivals.filter(
    (rival) => pairedRatio(timings[ours].samples, timings[rival].samples) >= 1,
  );
  const met = median / 1000 <= most && slowerThan.length === 0;
  return target(`≤ ${most} µs and faster than ${rivals.join(' and ')}`, met);
};

export const measure = async ({ quick }) => {
  const names = [...peers, 'fourteen bare stages', ours, metered];
  const pace = quick
    ? { concurrency: [1], rounds: 9, warmMs: 300, roundMs: 25 }
    : { concurrency: [1], rounds: 31, warmMs: 1500, roundMs: 60 };
  const timings = (
    await race(
      names.map((contender) => ({ contender })),
      pace,
    )
  )[1];
  return names.map((name) => {
    const { median, best, spread } = summarize(timings[name].samples);
    const baselines =
      name === ours ? names.filter((other) => other !== ours && other !== metered) : ['bare call'];
    return {
      name,
      value: median / 1000,
      best: best / 1000,
      unit: 'µs/call',
      spread,
      ratios: Object.fromEntries(
        baselines.map((other) => [
          other,
          pairedRatio(timings[name].samples, timings[other].samples),
        ]),
      ),
      ...(name === ours && { target: targetOf(timings) }),
    };
  });
};

await runIfMain(import.meta.url, title, measure);
