/** Calls of a month for `overview.mjs`: appended through the store's own door, then counted as the server counts. */

const DAY_MS = 86_400_000;
const DAYS = 30;
const BATCH = 5000;
const TOOLS = 100;
const CALLERS = 50;
const CODES = ['NETWORK', 'TIMEOUT', 'PERMISSION_DENIED', 'VALIDATION_ERROR', 'RATE_LIMITED'];
const STATUSES = ['failure', 'timeout', 'denied', 'failure', 'denied'];

/** Spreads numbers over 0 to 1, the same ones in every run. */
const spread = (i) => ((i * 2654435761) >>> 0) / 2 ** 32;

/** Few tools get most calls, and every tool has its own usual duration. */
const entryOf = (i, { from, calls }) => {
  const tool = Math.floor(TOOLS * spread(i) ** 2);
  const isFailed = spread(i * 7 + 1) < 0.04;
  const fault = i % CODES.length;
  const durationMs = Math.round((2 + tool) * Math.exp(3 * spread(i * 3 + 2)) * 1000) / 1000;
  return {
    kind: 'outcome',
    executionId: `fill-${i.toString(36)}`,
    at: Math.floor(from + (i / calls) * DAYS * DAY_MS),
    tool: `tool_${tool}`,
    version: '1.0.0',
    tier: 'read_only',
    userId: `user-${Math.floor(CALLERS * spread(i * 5 + 3))}`,
    agentId: 'agent',
    sessionId: `session-${i % 5000}`,
    status: isFailed ? STATUSES[fault] : 'success',
    code: isFailed ? CODES[fault] : '',
    durationMs,
    costMicros: tool % 3 === 0 ? 120 : 0,
    detail: { input: { a: i, b: 2 }, attempts: 1, tokens: 40 },
  };
};

/** Appends so many calls of the last thirty days, and counts them; tells how long both took. */
export const recordCalls = async (crib, calls, now = Date.now()) => {
  const { audit } = await crib.store();
  const range = { from: now - DAYS * DAY_MS, calls };
  const start = performance.now();
  let countMs = 0;
  for (let done = 0; done < calls; done += BATCH) {
    const size = Math.min(BATCH, calls - done);
    const entries = Array.from({ length: size }, (_, i) => entryOf(done + i, range));
    await Promise.all(entries.map((entry) => audit.append(entry, 'written')));
    // The server counts every ten seconds: not all of it at the end.
    if (done % (10 * BATCH) !== 0) continue;
    const before = performance.now();
    await crib.metrics.summary();
    countMs += performance.now() - before;
  }
  await crib.metrics.summary();
  return { fillMs: performance.now() - start - countMs, countMs };
};
