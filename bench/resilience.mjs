// What a breaker, a bulkhead and a deadline cost around a call that succeeds: ours, and cockatiel's.
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import { createRuntime } from '../dist/crib/create-runtime.js';
import { CircuitBreaker } from '../dist/pipeline/recovery/breaker.js';
import { Bulkhead } from '../dist/pipeline/recovery/bulkhead.js';
import { Deadlines } from '../dist/pipeline/recovery/deadlines.js';

const CALLS = 30_000;
const ROUNDS = 9;
const work = async () => 3;

const policy = wrap(
  retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() }),
  circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) }),
  bulkhead(64, 1000),
  timeout(30_000, TimeoutStrategy.Aggressive),
);

const breaker = new CircuitBreaker({ failures: 5, restMs: 10_000 });
const places = new Bulkhead(64, 1000);
const deadlines = new Deadlines(createRuntime());

/** The steps of the stage `recover` on its way through a healthy call. */
const ours = async () => {
  if (!breaker.untroubled && !breaker.admits(Date.now())) throw new Error('open');
  const deadline = deadlines.after(30_000, () => undefined);
  places.tryEnter();
  try {
    const result = await work();
    if (!breaker.untroubled) breaker.succeeded();
    return result;
  } finally {
    places.leave();
    deadline.cancel();
  }
};

const contenders = { 'bare call': work, ours, cockatiel: () => policy.execute(work) };

const round = async (call) => {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) await call();
  return ((performance.now() - start) * 1000) / CALLS;
};

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
for (let i = 0; i <= ROUNDS; i++) {
  for (const [name, call] of Object.entries(contenders)) {
    const time = await round(call);
    // The first round only warms up.
    if (i > 0) times[name].push(time);
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
for (const [name, values] of Object.entries(times)) {
  const ratio = median(values) / median(times.ours);
  console.log(
    `${name.padEnd(10)} ${median(values).toFixed(2)} µs/call  ${ratio.toFixed(2)} x ours`,
  );
}
deadlines.close();
