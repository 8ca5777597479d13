// Runs a flow of 1,000 nodes and one over many items, and reports what came out and how the heap grew.
// Node has to be started with --expose-gc.
import { createCrib, defineTool } from '../../../dist/index.js';
import { engineOptions } from './engine-options.mjs';
import { peakMemoryMb } from './peak-memory.mjs';

const [root, nodesText, itemsText] = process.argv.slice(2);
const [nodes, items] = [Number(nodesText), Number(itemsText)];
const MB = 1024 * 1024;
const heap = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed / MB;
};
const samples = [];
let calls = 0;
const add = defineTool({
  name: 'add',
  description: 'Adds numbers.',
  tier: 'read_only',
  input: {
    type: 'object',
    properties: { terms: { type: 'array', items: { type: 'integer' } } },
    required: ['terms'],
  },
  output: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
  run: ({ terms }) => {
    calls += 1;
    if (calls % Math.ceil(items / 10) === 0) samples.push(heap());
    // Padding that a run of many items must not keep.
    return { sum: terms.reduce((sum, term) => sum + term, 0), padding: 'x'.repeat(500) };
  },
});

// Ten columns: each node adds one to the sum of the node above it and, but for the first row, takes
// nothing from the others; a last node adds the columns up.
const WIDTH = 10;
const rows = Math.floor((nodes - 1) / WIDTH);
const nodeOf = (row, column) => `n${row}_${column}`;
const above = (row, column) => ({ from: `steps.${nodeOf(row - 1, column)}.data.sum` });
const dag = {
  name: 'large_dag',
  version: '1.0.0',
  kind: 'dag',
  steps: [
    ...Array.from({ length: rows * WIDTH }, (_, at) => {
      const [row, column] = [Math.floor(at / WIDTH), at % WIDTH];
      const first = row === 0;
      return {
        id: nodeOf(row, column),
        call: 'add',
        ...(!first && { after: [nodeOf(row - 1, column)] }),
        input: { terms: first ? [1] : [1, above(row, column)] },
      };
    }),
    {
      id: 'total',
      call: 'add',
      after: Array.from({ length: WIDTH }, (_, column) => nodeOf(rows - 1, column)),
      input: {
        terms: Array.from({ length: WIDTH }, (_, column) => above(rows, column)),
      },
    },
  ],
  output: { from: 'steps.total.data.sum' },
  limits: { maxConcurrency: 16 },
};
const each = {
  name: 'large_for_each',
  version: '1.0.0',
  input: { type: 'object' },
  steps: [
    {
      id: 'each',
      call: 'add',
      input: { terms: [1, { from: 'item' }] },
      forEach: { items: { from: 'input.items' }, maxConcurrency: 16 },
      output: { from: 'steps.each.data.sum' },
    },
  ],
  output: { from: 'steps.each.data' },
};
const rules = [{ name: 'own', effect: 'allow', tools: ['add'] }];
const crib = await createCrib({
  ...(await engineOptions()),
  ...{ root, builtins: false, tools: [add], policy: { version: 1, rules } },
});
await crib.flows.registerData(dag);
await crib.flows.registerData(each);

const timed = async (name, input) => {
  calls = 0;
  samples.length = 0;
  const begin = performance.now();
  const { finished } = await crib.flows.start(name, input);
  const { status, output, error } = await finished;
  return { status, output, error, calls, ms: Math.round(performance.now() - begin) };
};
const ofDag = await timed('large_dag', {});
const heapAfterDag = heap();
const numbers = Array.from({ length: items }, (_, n) => n);
const ofEach = await timed('large_for_each', { items: numbers });
const { output } = ofEach;
const report = {
  dag: { ...ofDag, nodes: rows * WIDTH + 1, rows, width: WIDTH },
  each: {
    ...ofEach,
    output: undefined,
    count: output?.count,
    done: output?.done,
    failed: output?.failed,
    isRight: Array.isArray(output?.results) && output.results.every((sum, n) => sum === n + 1),
    results: output?.results?.length,
    truncated: output?.truncated ?? false,
  },
  heap: { afterDag: heapAfterDag, samples: [...samples], atEnd: heap() },
  maxRssMb: peakMemoryMb(),
};
process.stdout.write(`report ${JSON.stringify(report)}\n`);
await crib.close();
process.exit(0);
