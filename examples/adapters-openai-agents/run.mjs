// The tools of a crib in an agent of the OpenAI Agents SDK. The model is a script here, so that the
// story runs without a key; leave `model` out to have a real one.
import assert from 'node:assert/strict';
import { Agent, Runner, Usage } from '@openai/agents-core';
import { createCrib } from 'toolcrib';

const crib = await createCrib({ store: 'memory' });
const caller = { userId: 'ada', sessionId: 'chat-17' };
const tools = await crib.tools.forOpenAIAgents({ names: ['calculator'], caller });

const call = { type: 'function_call', callId: 'call_1', name: 'calculator', status: 'completed' };
const said = { type: 'output_text', text: 'It is 42.' };
const turns = [
  [{ ...call, arguments: '{"expression":"6*7"}' }],
  [{ type: 'message', role: 'assistant', status: 'completed', content: [said] }],
];
const read = [];
const model = {
  async getResponse({ input }) {
    read.push(...input.filter(({ type }) => type === 'function_call_result'));
    return { usage: new Usage(), output: turns.shift() };
  },
};

const agent = new Agent({ name: 'Counter', instructions: 'Use your tools.', model, tools });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'What is 6*7?');
console.log('the model read:', JSON.stringify(read[0].output));
console.log('the agent says:', finalOutput);
assert.match(JSON.stringify(read[0].output), /42/);
assert.equal(finalOutput, 'It is 42.');

const rows = await crib.audit.query({ userId: 'ada' });
console.log('on record:', rows.map(({ tool, status }) => `${tool} ${status}`).join(', '));
assert.equal(rows.filter(({ kind }) => kind === 'outcome').length, 1);

await crib.close();
