/** Runs the real runner of the OpenAI Agents SDK with a scripted model. */
import {
  Agent,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  Runner,
  Usage,
} from '@openai/agents-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  adapterConformance,
  type ModelCall,
  type ModelReading,
} from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import type { OpenAiAgentsTool } from '../contract/tool-sets.ts';
import { forOpenAIAgents } from './openai-agents.ts';

/** A model that makes the calls in its first turn and ends in the second. */
const modelThatCalls = (calls: readonly ModelCall[]) => {
  const requests: ModelRequest[] = [];
  const first: AgentOutputItem[] = calls.map(({ id, name, arguments: text }) => ({
    type: 'function_call',
    callId: id,
    name,
    arguments: text,
    status: 'completed',
  }));
  const last: AgentOutputItem[] = [
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.' }],
    },
  ];
  const model: Model = {
    async getResponse(request) {
      requests.push(request);
      return { usage: new Usage(), output: requests.length === 1 ? first : last };
    },
    // biome-ignore lint/correctness/useYield: the tests do not stream.
    async *getStreamedResponse() {
      throw new Error('Not streamed.');
    },
  };
  return { model, requests };
};

const loop = async (
  tools: readonly OpenAiAgentsTool[],
  calls: readonly ModelCall[],
  signal?: AbortSignal,
) => {
  const { model, requests } = modelThatCalls(calls);
  const agent = new Agent({ name: 'test', instructions: 'Go.', model, tools: [...tools] });
  const runner = new Runner({ tracingDisabled: true });
  const { finalOutput } = await runner.run(agent, 'Go.', { ...(signal && { signal }) });
  expect(finalOutput).toBe('Done.');
  const input = requests[1]?.input;
  return Array.isArray(input)
    ? input.flatMap((item) => (item.type === 'function_call_result' ? [item] : []))
    : [];
};

const textIn = (output: unknown): string => {
  if (typeof output === 'string') return output;
  const { text } = output as { readonly text?: string };
  return text ?? JSON.stringify(output);
};

adapterConformance('the OpenAI Agents SDK', async (crib, options) => {
  const tools = await forOpenAIAgents(crib, options);
  return {
    names: tools.map(({ name }) => name),
    refusesRepeatedIds: true,
    async turn(calls, signal): Promise<readonly ModelReading[]> {
      const results = await loop(tools, calls, signal);
      return results.map(({ callId: id, output }) => ({
        id,
        text: textIn(output),
        isError: undefined,
      }));
    },
  };
});

let place: AdapterCrib;
beforeEach(async () => {
  place = await adapterCrib();
});
afterEach(() => place.close());

it('an agent of the OpenAI Agents SDK reads a picture as a picture', async () => {
  const tools = await place.crib.tools.forOpenAIAgents();
  const [result] = await loop(tools, [{ id: 'c1', name: 'picture', arguments: '{}' }]);
  expect(JSON.stringify(result?.output)).toContain('iVBORw0KGgo=');
  expect(JSON.stringify(result?.output)).toContain('a dot');
});

it('threat: arguments that are not JSON run nothing in the OpenAI Agents SDK', async () => {
  const tools = await forOpenAIAgents(place.crib);
  const [result] = await loop(tools, [{ id: 'c1', name: 'append', arguments: '{"line": "x' }]);
  expect(textIn(result?.output)).toMatch(/VALIDATION_ERROR|valid JSON/);
  expect(place.ran).toEqual([]);
});
