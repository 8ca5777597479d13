/**
 * Everyone who runs a flow of three steps, one after the other, each of which adds two numbers. What is
 * durable says so in its name; the others lose the run with their process.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { loadProduct } from './product.mjs';

const schema = z.object({ a: z.number(), b: z.number() });
const sum = z.number();
const add = async ({ a, b }) => a + b;

const inputOf = (i) => ({ a: (i & 63) + 1, b: 2 });

/** The number that `call(i)` has to answer with. */
export const expectedSum = (i) => (i & 63) + 3;

const barePromises = async () => ({
  call: async (i) => {
    const first = await add(inputOf(i));
    const second = await add({ a: first, b: 0 });
    return add({ a: second, b: 0 });
  },
});

/** Every stage of the pipeline on for each step, and the run in the journal. */
const toolcrib =
  (store) =>
  async ({ folder }) => {
    const { createCrib, defineFlow, defineTool } = await loadProduct();
    const adder = defineTool({
      ...{ name: 'add', description: 'Adds two numbers.', tier: 'read_only' },
      ...{ input: schema, output: sum, run: add },
    });
    const crib = await createCrib({
      store: store === 'memory' ? 'memory' : { sqlite: join(folder, 'crib.db') },
      ...{ root: folder, home: join(folder, 'home'), tools: [adder], builtins: false },
    });
    const run = async (flow, input) => {
      const first = await flow.call(adder, input);
      const second = await flow.call(adder, { a: first, b: 0 });
      return flow.call(adder, { a: second, b: 0 });
    };
    crib.flows.register(defineFlow({ name: 'three', version: '1.0.0', input: schema, run }));
    return {
      call: async (i) => (await crib.flows.start('three', inputOf(i))).finished,
      sumOf: ({ output, error }) => output ?? error?.message,
      close: () => crib.close(),
    };
  };

const langGraph = async () => {
  const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
  const State = Annotation.Root({ a: Annotation(), b: Annotation() });
  const step = async (state) => ({ a: await add(state), b: 0 });
  const graph = new StateGraph(State)
    .addNode('one', step)
    .addNode('two', step)
    .addNode('three', step)
    .addEdge(START, 'one')
    .addEdge('one', 'two')
    .addEdge('two', 'three')
    .addEdge('three', END)
    .compile();
  return { call: (i) => graph.invoke(inputOf(i)), sumOf: ({ a }) => a };
};

const mastra = async () => {
  const { createStep, createWorkflow } = await import('@mastra/core/workflows');
  const step = (id) =>
    createStep({
      ...{ id, inputSchema: schema, outputSchema: schema },
      execute: async ({ inputData }) => ({ a: await add(inputData), b: 0 }),
    });
  const workflow = createWorkflow({ id: 'three', inputSchema: schema, outputSchema: schema })
    .then(step('one'))
    .then(step('two'))
    .then(step('three'))
    .commit();
  return {
    call: async (i) => (await workflow.createRunAsync()).start({ inputData: inputOf(i) }),
    sumOf: ({ status, result }) => (status === 'success' ? result.a : status),
  };
};

/** Needs a PostgreSQL server, whose address BENCH_POSTGRES_URL names. */
const dbos = async () => {
  const { DBOS } = await import('@dbos-inc/dbos-sdk');
  const systemDatabaseUrl = process.env.BENCH_POSTGRES_URL;
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error', runAdminServer: false });
  const three = DBOS.registerWorkflow(
    async (input) => {
      const first = await DBOS.runStep(() => add(input), { name: 'one' });
      const second = await DBOS.runStep(() => add({ a: first, b: 0 }), { name: 'two' });
      return DBOS.runStep(() => add({ a: second, b: 0 }), { name: 'three' });
    },
    { name: 'three' },
  );
  await DBOS.launch();
  return { call: (i) => three(inputOf(i)), close: () => DBOS.shutdown() };
};

export const contenders = {
  'Toolcrib, memory': toolcrib('memory'),
  'Toolcrib, SQLite, durable': toolcrib('sqlite'),
  'bare promises': barePromises,
  'LangGraph, memory': langGraph,
  'Mastra workflow, memory': mastra,
  'DBOS, PostgreSQL, durable': dbos,
};
