// A tool of your own: data plus one function. The pipeline adds the rest: validation, retries,
// a timeout, a budget, and a result that is always a value.
import assert from 'node:assert/strict';
import { createCrib, defineTool, RetryPolicies, ToolFailure } from 'toolcrib';
import { z } from 'zod';

let tries = 0;

const weather = defineTool({
  name: 'weather',
  description: 'Tells the temperature of a city.',
  tier: 'read_only',
  input: z.strictObject({ city: z.string().min(1).describe('Name of the city') }),
  output: z.object({ celsius: z.number() }),
  cost: { model: 'usage_based', fixed: 0.002 },
  timeoutMs: 5_000,
  retry: RetryPolicies.CUSTOM({ maxRetries: 2, backoff: { type: 'fixed', delay: 10 } }),
  run: async ({ city }, context) => {
    context.progress(0.5, 'asking the service');
    if (++tries === 1) throw new ToolFailure('NETWORK', 'The weather service did not answer.');
    return { celsius: city.length };
  },
});

const crib = await createCrib({ store: 'memory', builtins: false, tools: [weather] });

const good = await crib.execute('weather', { city: 'Kigali' }, { userId: 'ada' });
console.log(good.data, `after ${good.metadata.attempts} attempts, ${good.metadata.cost} USD`);
assert.deepEqual(good.data, { celsius: 6 });
assert.equal(good.metadata.attempts, 2);
assert.equal(good.metadata.cost, 0.002);

const bad = await crib.execute('weather', { town: 'Kigali' });
console.log(bad.error.code, '-', bad.error.message);
assert.equal(bad.error.code, 'VALIDATION_ERROR');

const plan = await crib.execute('weather', { city: 'Oslo' }, { dryRun: true });
console.log('a dry run says:', plan.data.verdict, plan.data.estimate);
assert.equal(plan.data.estimate.costMicros, 2000);

await crib.close();
