// Makes many priced calls at once on a shared budget. Says "ready", waits for a line, then reports.
import { once } from 'node:events';
import { createCrib, defineTool } from '../../../dist/index.js';
import { engineOptions } from './engine-options.mjs';

const [root, calls, trouble, kind = 'fixed'] = process.argv.slice(2);
// What a tool says of its price, and what it reports once it ran.
const KINDS = {
  fixed: [{ cost: { model: 'usage_based', fixed: 0.01 } }],
  afterwards: [{ estimate: () => ({ cost: 0.01 }) }, { cost: 0.01 }],
  unpriced: [{}, { cost: 0.01 }],
  tokens: [{ estimate: () => ({ cost: 0, tokens: 10 }) }, { tokens: 10 }],
};
const [price, charge] = KINDS[kind];
const pay = defineTool({
  name: 'pay',
  description: 'Costs a cent; goes wrong in every way it is told to.',
  tier: 'read_only',
  ...price,
  // Long where only the money is looked at: a busy machine must not add time-outs.
  timeoutMs: trouble === 'trouble' ? 150 : 60_000,
  input: { type: 'object' },
  run: async ({ n }, { signal, charge: report }) => {
    if (charge) {
      await new Promise((resolve) => setTimeout(resolve, n % 7));
      report(charge);
    }
    if (trouble !== 'trouble') return n;
    if (n % 4 === 1) throw new Error('failed');
    if (n % 4 === 2) await once(signal, 'abort');
    if (n % 4 === 3) await new Promise((resolve) => setTimeout(resolve, n % 40));
    return n;
  },
});
const engine = await engineOptions();
const crib = await createCrib({
  ...engine,
  root,
  builtins: false,
  tools: [pay],
  config: {
    ...engine.config,
    budget: { dailyUsd: 1, ...(kind === 'tokens' && { dailyTokens: 1000 }) },
    execution: { maxConcurrentTools: 1000, queueLimit: 10_000, breaker: { enabled: false } },
  },
});
await crib.store();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const results = await Promise.all(
  Array.from({ length: Number(calls) }, (_, n) => crib.execute('pay', { n })),
);
const codes = {};
for (const { error } of results)
  codes[error?.code ?? 'success'] = (codes[error?.code ?? 'success'] ?? 0) + 1;
process.stdout.write(`codes ${JSON.stringify(codes)}\n`);
await crib.close();
process.exit(0);
