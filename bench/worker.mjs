/**
 * One contender in a process of its own: some libraries switch on async hooks, which slow every
 * promise in the process down, and a heap full of audit rows would be billed to the others.
 */
import { quantile } from './statistics.mjs';

const { contender: name, from = './contenders.mjs', ...setup } = JSON.parse(process.argv[2]);
const { contenders, expectedSum } = await import(from);

/** Every answer of everybody is looked at. */
const check = (sum, i) => {
  if (sum !== expectedSum(i)) throw new Error(`expected ${expectedSum(i)}, got ${sum}`);
};

/** One call after the other. Returns nanoseconds. */
const inTurn = async ({ call, sumOf }, calls) => {
  const start = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) check(sumOf(await call(i)), i);
  return Number(process.hrtime.bigint() - start);
};

/** `concurrency` callers, each with one call under way at any time. */
const atOnce = async ({ call, sumOf }, { calls, concurrency }) => {
  const latencies = new Float64Array(calls);
  let next = 0;
  const caller = async () => {
    for (let i = next++; i < calls; i = next++) {
      const start = performance.now();
      check(sumOf(await call(i)), i);
      latencies[i] = performance.now() - start;
    }
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: concurrency }, caller));
  const ns = Number(process.hrtime.bigint() - start);
  return { ns, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
};

const answer = async (contender, request) => {
  if (request.concurrency > 1) return atOnce(contender, request);
  return { ns: await inTurn(contender, request.calls) };
};

const serve = async (contender, request) => {
  try {
    if (request.close) {
      await contender.close?.();
      process.disconnect();
    } else {
      process.send(await answer(contender, request));
    }
  } catch (error) {
    process.send({ error: error instanceof Error ? error.message : String(error) });
  }
};

const contender = { sumOf: (sum) => sum, ...(await contenders[name](setup)) };
for (let i = 0; i < 3; i++) check(contender.sumOf(await contender.call(i)), i);
process.on('message', (request) => void serve(contender, request));
process.send({ ready: true });
