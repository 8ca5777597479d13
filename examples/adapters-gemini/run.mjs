// The tools of a crib for Gemini: declarations for `generateContent`, and `run` to answer the function
// calls of a response. The response is written down here, so that the story runs without a key.
import assert from 'node:assert/strict';
import { createCrib } from 'toolcrib';

const crib = await createCrib({ store: 'memory' });
const caller = { userId: 'ada', sessionId: 'chat-17' };
const { tools, run, losses } = await crib.tools.forGemini({ names: ['calculator'], caller });
console.log('declared:', tools[0].functionDeclarations.map(({ name }) => name).join(', '));
console.log('lost in the dialect:', losses.length);

const functionCalls = [
  { id: 'call_1', name: 'calculator', args: { expression: '6*7' } },
  { id: 'call_2', name: 'calculator', args: { sum: '6*7' } },
];
const parts = await run({ functionCalls });
for (const { functionResponse } of parts) console.log(JSON.stringify(functionResponse.response));
assert.match(parts[0].functionResponse.response.output, /42/);
assert.match(parts[1].functionResponse.response.error, /VALIDATION_ERROR/);

const rows = await crib.audit.query({ userId: 'ada' });
console.log('on record:', rows.map(({ tool, status }) => `${tool} ${status}`).join(', '));
assert.equal(rows.filter(({ kind }) => kind === 'outcome').length, 2);

await crib.close();
