/**
 * Everyone who adds two numbers. Each entry loads its library, builds the tool the way the
 * library's documentation does, and hands back `call(i)`, which is the library's own call, and
 * `sumOf`, which takes the sum out of what it resolves to, where that is not the sum itself.
 */
import { z } from 'zod';
import { openCrib } from './crib-under-test.mjs';

const schema = z.object({ a: z.number(), b: z.number() });
const add = async ({ a, b }) => a + b;
const description = 'Adds two numbers.';

/** Sixty-four different inputs, so that no engine can fold the work into a constant. */
const inputs = Array.from({ length: 64 }, (_, i) => ({ a: i + 1, b: 2 }));
const inputOf = (i) => inputs[i & 63];

/** The number that `call(i)` has to answer with. */
export const expectedSum = (i) => (i & 63) + 3;

const bare = async () => ({ call: (i) => add(inputOf(i)) });

const zodThenCall = async () => ({ call: async (i) => add(schema.parse(inputOf(i))) });

/** Fourteen async stages around validation and the call: what the bare onion costs. */
const bareStages = async () => {
  let next = async (call) => ({ success: true, data: await add(call.input) });
  for (let i = 0; i < 13; i++) {
    const inner = next;
    next = async (call) => inner(call);
  }
  const pipeline = async (call) => {
    const parsed = schema.safeParse(call.raw);
    return parsed.success ? next({ ...call, input: parsed.data }) : { success: false };
  };
  return { call: async (i) => (await pipeline({ raw: inputOf(i) })).data };
};

/** `tool` alone validates nothing; its loop validates with the tool's schema, then executes. */
const aiSdk = async () => {
  const { asSchema, tool } = await import('ai');
  const adder = tool({ description, inputSchema: schema, execute: add });
  const input = asSchema(adder.inputSchema);
  return {
    call: async (i) => {
      const parsed = await input.validate(inputOf(i));
      if (!parsed.success) throw parsed.error;
      return adder.execute(parsed.value, { toolCallId: 'call', messages: [] });
    },
  };
};

const langChain = async () => {
  const { tool } = await import('@langchain/core/tools');
  const adder = tool(add, { name: 'add', description, schema });
  return { call: (i) => adder.invoke(inputOf(i)) };
};

const mastra = async () => {
  const { RuntimeContext } = await import('@mastra/core/runtime-context');
  const { createTool } = await import('@mastra/core/tools');
  const runtimeContext = new RuntimeContext();
  const adder = createTool({
    id: 'add',
    description,
    inputSchema: schema,
    execute: async ({ context }) => add(context),
  });
  return { call: (i) => adder.execute({ context: inputOf(i), runtimeContext }) };
};

/** Its `invoke` takes the model's JSON text; the texts are made beforehand. */
const openAiAgents = async () => {
  const { RunContext, tool } = await import('@openai/agents');
  const adder = tool({ name: 'add', description, parameters: schema, execute: add });
  const texts = inputs.map((input) => JSON.stringify(input));
  const context = new RunContext();
  return { call: (i) => adder.invoke(context, texts[i & 63]) };
};

/** A crib with every stage on; `tool` names which of its tools is called. */
const toolcrib = (store, tool) => async (setup) => {
  // What is compared with a sync of the disk has to make one.
  const crib = await openCrib({ ...setup, store, syncEveryRecord: true });
  return {
    call: (i) => crib.execute(tool, inputOf(i)),
    sumOf: ({ success, data, error }) => (success ? data : `${error.code}: ${error.message}`),
    close: () => crib.close(),
  };
};

export const contenders = {
  'bare call': bare,
  'Zod parse + call': zodThenCall,
  'fourteen bare stages': bareStages,
  'AI SDK': aiSdk,
  LangChain: langChain,
  Mastra: mastra,
  'OpenAI Agents': openAiAgents,
  'Toolcrib, memory': toolcrib('memory', 'add'),
  'Toolcrib, memory, metered tool': toolcrib('memory', 'add_metered'),
  'Toolcrib, SQLite, read-only': toolcrib('sqlite', 'add'),
  'Toolcrib, SQLite, write': toolcrib('sqlite', 'add_write'),
  'Toolcrib, SQLite, write with declared effect': toolcrib('sqlite', 'add_effect'),
};

export const peers = [
  'bare call',
  'Zod parse + call',
  'AI SDK',
  'LangChain',
  'Mastra',
  'OpenAI Agents',
];
