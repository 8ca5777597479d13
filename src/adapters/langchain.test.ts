import type { ToolMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapterConformance, type ModelCall } from '../../test/conformance/adapter.ts';
import { type AdapterCrib, adapterCrib } from '../../test/fixtures/adapter-crib.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { forLangChain } from './langchain.ts';

const toolCall = ({ id, name, arguments: text }: ModelCall) => ({
  id,
  name,
  args: JSON.parse(text) as Record<string, unknown>,
  type: 'tool_call' as const,
});

const invoke = async (
  tools: readonly StructuredToolInterface[],
  call: ModelCall,
  signal?: AbortSignal,
): Promise<ToolMessage> => {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) throw new Error(`The model was not shown ${call.name}.`);
  return (await tool.invoke(toolCall(call), { ...(signal && { signal }) })) as ToolMessage;
};

adapterConformance('LangChain', async (crib, options) => {
  const tools = await forLangChain(crib, options);
  return {
    names: tools.map(({ name }) => name),
    async turn(calls, signal) {
      const messages = await Promise.all(calls.map((call) => invoke(tools, call, signal)));
      return messages.map(({ tool_call_id: id, content, status }) => ({
        id,
        text: String(content),
        isError: status === 'error',
      }));
    },
  };
});

describe('beyond what all adapters do, that for LangChain', () => {
  let place: AdapterCrib;
  beforeEach(async () => {
    place = await adapterCrib();
  });
  afterEach(() => place.close());

  it('is a tool that models can be bound to, with the schema as it is', async () => {
    const tools = await place.crib.tools.forLangChain<StructuredToolInterface>();
    const add = tools.find(({ name }) => name === 'math_add');
    expect(add && convertToOpenAITool(add)).toMatchObject({
      type: 'function',
      function: {
        name: 'math_add',
        description: 'Adds two numbers.',
        parameters: { type: 'object', required: ['a', 'b'] },
      },
    });
  });

  it('answers a call with a message that carries the reply as data', async () => {
    const tools = await forLangChain(place.crib);
    const call = { id: 'c1', name: 'math_add', arguments: '{"a":1,"b":2}' };
    const message = await invoke(tools, call);
    expect(message.getType()).toBe('tool');
    expect(message).toMatchObject({
      status: 'success',
      name: 'math_add',
      artifact: { success: true, data: { sum: 3 } },
    });
    expect(await tools[0]?.invoke({ a: 1, b: 2 })).toBe('{"sum":3}');
  });

  it('tells callbacks of the start and the end of a call', async () => {
    const [add] = await forLangChain(place.crib, { names: ['math.add'] });
    const told: string[] = [];
    await add?.invoke(
      { a: 1, b: 2 },
      {
        callbacks: [
          {
            handleToolStart: () => void told.push('start'),
            handleToolEnd: () => void told.push('end'),
          },
        ],
      },
    );
    expect(told).toEqual(['start', 'end']);
  });

  it('threat: a pattern in a foreign schema that makes the engine of LangChain hang', async () => {
    place.crib.tools.register(
      aTool({
        name: 'evil',
        input: {
          type: 'object',
          properties: { text: { type: 'string', pattern: '^(a+)+$' } },
        } as never,
      }),
    );
    const [evil] = await forLangChain(place.crib, { names: ['evil'] });
    const text = `${'a'.repeat(60)}!`;
    const message = (await evil?.invoke({
      ...toolCall({ id: 'c1', name: 'evil', arguments: JSON.stringify({ text }) }),
    })) as ToolMessage;
    expect(message.status).toBe('error');
    expect(String(message.content)).toContain('VALIDATION_ERROR');
  });
});
