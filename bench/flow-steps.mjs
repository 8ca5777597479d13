/**
 * Measures the processor time of a step and of the call that it makes, in turns, and sends both to its
 * parent. Processor time, because a step also waits for its turn of the event loop.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadProduct } from './product.mjs';

const STEPS = 5_000;
const WARM_ROUNDS = 3;

const { createCrib, defineFlow, defineTool } = await loadProduct();
const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'));
const look = defineTool({
  ...{ name: 'look', description: 'Returns its input.', tier: 'read_only' },
  input: { type: 'object', properties: { n: { type: 'number' } } },
  run: ({ n }) => ({ n }),
});
const crib = await createCrib({
  store: 'memory',
  root,
  home: root,
  tools: [look],
  builtins: false,
});
const run = async (flow) => {
  for (let n = 0; n < STEPS; n++) await flow.call(look, { n });
};
crib.flows.register(defineFlow({ name: 'many', version: '1.0.0', run }));

const micros = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const timed = async (work) => {
  const start = micros();
  await work();
  return (micros() - start) / STEPS;
};
const callAll = async () => {
  for (let n = 0; n < STEPS; n++) await crib.execute('look', { n }, { flowId: 'alone' });
};
const stepAll = async () => {
  const { status, error } = await (await crib.flows.start('many', {})).finished;
  if (status !== 'completed') throw new Error(`${status}: ${error?.message}`);
};

const steps = [];
const calls = [];
const rounds = Number(process.argv[2]);
for (let round = 0; round < rounds + WARM_ROUNDS; round++) {
  const call = await timed(callAll);
  const step = await timed(stepAll);
  if (round < WARM_ROUNDS) continue;
  calls.push(call);
  steps.push(step);
}
await crib.close();
rmSync(root, { recursive: true, force: true });
process.send({ steps, calls });
process.disconnect();
