// An agent loop of the AI SDK over the tools of a crib: one call runs, one waits for a person and is
// made again once it was approved. The model is scripted, so that the story needs no key.
import assert from 'node:assert/strict';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createCrib, defineTool } from 'toolcrib';
import { z } from 'zod';

const refunds = [];

const refund = defineTool({
  name: 'refund',
  description: 'Pays a customer back.',
  tier: 'external_api',
  input: z.strictObject({ order: z.string(), usd: z.number().positive() }),
  run: (input) => {
    refunds.push(input);
    return { refunded: input.usd };
  },
});

const crib = await createCrib({ store: 'memory', tools: [refund] });
const tools = await crib.tools.forAiSdk({
  names: ['calculator', 'refund'],
  caller: { userId: 'ada', agentId: 'support', sessionId: 'chat-17' },
});

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const says = (...content) => {
  const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
};
const calls = (toolCallId, toolName, input) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

const input = { order: 'A-1', usd: 12 };
const ask = (id) =>
  generateText({
    model: new MockLanguageModelV3({
      doGenerate: [
        says(calls(`${id}-sum`, 'calculator', { expression: '4*3' }), calls(id, 'refund', input)),
        says({ type: 'text', text: 'That is all.' }),
      ],
    }),
    tools,
    prompt: 'Refund order A-1.',
    stopWhen: stepCountIs(5),
  });

const first = await ask('call-1');
for (const { toolName, output } of first.steps[0].toolResults) {
  console.log(toolName, output.status, output.data ?? output.error.code);
}
assert.equal(first.steps[0].toolResults[0].output.data.result, 12);
assert.equal(first.steps[0].toolResults[1].output.status, 'pending');
assert.deepEqual(refunds, []);

const [{ id }] = await crib.approvals.list();
await crib.approvals.decide(id, { approve: true, by: 'grace' });
const second = await ask('call-2');
console.log('approved by grace:', second.steps[0].toolResults[1].output.data);
assert.deepEqual(refunds, [input]);

// The framework runs the same step again: the stored result, no second refund.
await ask('call-2');
assert.deepEqual(refunds, [input]);
console.log('the same step again: still', refunds.length, 'refund');

await crib.close();
