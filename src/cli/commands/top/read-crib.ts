/** The figures of `toolcrib top` from the store of this folder: what every process on it has recorded. */
import type { CribHost } from '../../../contract/crib-host.ts';
import { MINUTE_MS } from '../../../kit/data/durations.ts';
import type { RunningCalls, TopSource } from './top-snapshot.ts';

/** An older intent belongs to a call that was lost in a crash, or that nobody waits for. */
const LOOK_BACK_MS = 15 * MINUTE_MS;
const MAX_INTENTS = 200;
const MAX_OUTCOMES = 1000;

/**
 * Counts the calls whose intent is on record and whose outcome is not. Calls that only read have no
 * intent. Where there are more outcomes than are read, older intents are left out.
 */
const runningCalls = async (
  { audit }: Pick<CribHost, 'audit'>,
  now: number,
): Promise<readonly RunningCalls[]> => {
  const from = now - LOOK_BACK_MS;
  const intents = await audit.query({ kind: 'intent', from, limit: MAX_INTENTS });
  if (intents.length === 0) return [];
  const outcomes = await audit.query({ kind: 'outcome', from, limit: MAX_OUTCOMES });
  const ended = new Set(outcomes.map(({ executionId }) => executionId));
  const oldest = outcomes.length < MAX_OUTCOMES ? 0 : (outcomes.at(-1)?.seq ?? 0);
  const counts = new Map<string, number>();
  for (const { executionId, seq, tool } of intents) {
    if (seq < oldest || ended.has(executionId)) continue;
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  return Array.from(counts, ([tool, count]) => ({ tool, count }));
};

export const cribSource = (crib: CribHost, label: string): TopSource => ({
  label,
  history: (from) => crib.metrics.history({ from, step: 'minute' }),
  total: (from) => crib.metrics.summary({ from }),
  tools: (from) => crib.metrics.by('tool', { from }),
  running: (now) => runningCalls(crib, now),
  waiting: async () => (await crib.approvals.list()).map(({ createdAt }) => createdAt),
  usage: () => crib.usage.summary(),
  servers: async () => crib.servers.list(),
  jobs: () => crib.jobs.counts(),
  close: async () => undefined,
});
