// The tools of a crib for an agent of Mastra: `new Agent({ tools })`. Without `@mastra/core` it is said
// what to install; with it a tool is called as an agent would.
import assert from 'node:assert/strict';
import { createCrib } from 'toolcrib';

const crib = await createCrib({ store: 'memory' });
const caller = { userId: 'ada', sessionId: 'chat-17' };
const made = await crib.tools
  .forMastra({ names: ['calculator'], caller })
  .catch((error) => ({ error }));

if (made.error) {
  console.log(made.error.message, made.error.extras.suggestions.join(' '));
  assert.equal(made.error.code, 'DEPENDENCY_MISSING');
  assert.deepEqual(made.error.extras.suggestions, ['npm install @mastra/core']);
} else {
  const { calculator } = made;
  const output = await calculator.execute({ expression: '6*7' }, { agent: { toolCallId: 'c1' } });
  console.log('the model reads:', calculator.toModelOutput(output).value);
  assert.match(calculator.toModelOutput(output).value, /42/);
}

await crib.close();
