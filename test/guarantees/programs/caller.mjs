// Makes many calls, so many at once, one in four of them with an effect, and reports failures and the heap.
// Node has to be started with --expose-gc.
import { createCrib, defineTool } from '../../../dist/index.js';
import { engineOptions } from './engine-options.mjs';
import { peakMemoryMb } from './peak-memory.mjs';

const [root, totalText, atOnceText] = process.argv.slice(2);
const [total, atOnce] = [Number(totalText), Number(atOnceText)];
const MB = 1024 * 1024;
const echo = (name, tier) =>
  defineTool({
    name,
    description: 'Gives back a number.',
    tier,
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    timeoutMs: 300_000,
    run: ({ n }) => ({ n }),
  });
const rules = [{ name: 'own', effect: 'allow', tools: ['read', 'change'] }];
const engine = await engineOptions();
const crib = await createCrib({
  ...engine,
  root,
  builtins: false,
  policy: { version: 1, rules },
  tools: [echo('read', 'read_only'), echo('change', 'write')],
  config: {
    ...engine.config,
    execution: { maxConcurrentTools: 1_000, queueLimit: 10_000, breaker: { enabled: false } },
  },
});
const codes = {};
const heaps = [];
let begun = 0;
let done = 0;
const sample = () => {
  globalThis.gc();
  heaps.push(process.memoryUsage().heapUsed / MB);
};
const loop = async () => {
  while (begun < total) {
    const n = begun++;
    const { status, data, error } = await crib.execute(n % 4 === 0 ? 'change' : 'read', { n });
    const isRight = status === 'success' && data.n === n;
    if (!isRight) codes[error?.code ?? status] = (codes[error?.code ?? status] ?? 0) + 1;
    if (++done % (total / 10) === 0) sample();
  }
};
const begin = performance.now();
await Promise.all(Array.from({ length: atOnce }, loop));
const seconds = (performance.now() - begin) / 1000;
const { ok } = await crib.audit.verify();
const rss = peakMemoryMb();
const report = { done, codes, heaps, seconds, ok, maxRssMb: rss };
process.stdout.write(`report ${JSON.stringify(report)}\n`);
await crib.close();
process.exit(0);
