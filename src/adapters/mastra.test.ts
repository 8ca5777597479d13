/**
 * Runs the tools as an agent of Mastra does, against the documented shape of `createTool`: the package
 * itself is too large to be installed for tests.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { adapterConformance, type ModelCall } from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { MastraTool } from '../contract/tool-sets.ts';
import { createCrib } from '../crib/create-crib.ts';
import { forMastra } from './mastra.ts';

/** As the library's own class: a check of the input in front of `execute`. */
vi.mock('@mastra/core/tools', () => ({
  createTool: (options: MastraTool) => ({
    ...options,
    execute: () => Promise.resolve({ error: true, message: 'Tool input validation failed.' }),
  }),
}));

const runTool = async (
  tools: Readonly<Record<string, MastraTool>>,
  { id, name, arguments: text }: ModelCall,
  abortSignal?: AbortSignal,
) => {
  const tool = tools[name];
  if (!tool) throw new Error(`The model was not shown ${name}.`);
  const context = { agent: { toolCallId: id }, ...(abortSignal && { abortSignal }) };
  const output = tool.toModelOutput(await tool.execute(JSON.parse(text), context));
  return { id, text: String(output.value), isError: output.type.startsWith('error') };
};

adapterConformance('Mastra', async (crib, options) => {
  const tools = await forMastra(crib, options);
  return {
    names: Object.keys(tools),
    turn: (calls, signal) => Promise.all(calls.map((call) => runTool(tools, call, signal))),
  };
});

let place: AdapterCrib;
beforeEach(async () => {
  place = await adapterCrib();
});
afterEach(() => place.close());

it('a Mastra agent shows the model the schema as it is, and leaves the check to the pipeline', async () => {
  const { append } = await forMastra(place.crib);
  if (!append) throw new Error('The tool is missing.');
  const { '~standard': standard } = append.inputSchema as {
    '~standard': {
      validate(value: unknown): unknown;
      jsonSchema: { input(): unknown };
    };
  };
  expect(standard.jsonSchema.input()).toMatchObject({ type: 'object', required: ['line'] });
  expect(standard.validate({ line: 7 })).toEqual({ value: { line: 7 } });
});

it('tools made for the AI SDK do not read as empty text in Mastra, which hands over the output itself', async () => {
  const { append } = await place.crib.tools.forAiSdk();
  const output = await append?.execute({ line: 'x' }, { toolCallId: 'c1' });
  expect(append?.toModelOutput(output as never)).toEqual({ type: 'text', value: 'appended' });
});

it('forMastra sends progress to the stream of the agent, and survives a closed stream', async () => {
  const steps = aTool({
    name: 'steps',
    run: (_input, { progress }) => {
      progress(0.5, 'half');
      return 'done';
    },
  });
  const crib = await createCrib({ builtins: false, store: 'memory', tools: [steps] });
  const tools = await crib.tools.forMastra();
  const custom = vi.fn(() => Promise.reject(new Error('closed')));
  const reply = await tools.steps?.execute({}, { agent: { toolCallId: 'c1' }, writer: { custom } });
  expect(reply).toMatchObject({ success: true, data: 'done' });
  expect(custom).toHaveBeenCalledWith({
    type: 'data-tool-progress',
    data: { toolCallId: 'c1', tool: 'steps', fraction: 0.5, note: 'half' },
  });
  await crib.close();
});
