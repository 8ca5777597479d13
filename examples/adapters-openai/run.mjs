// The tools of a crib with OpenAI's library, in both of its protocols. The answers of the model are
// scripted, so that the story needs no key; everything else is as it would be.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { createCrib } from 'toolcrib';

const crib = await createCrib({ store: 'memory' });
const { tools, responsesTools, run } = await crib.tools.forOpenAI({
  filter: { tier: ['read_only'] },
});

const script = [
  // Two calls at once; strict mode makes the model say null for what it leaves out.
  {
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'calculator', arguments: '{"expression":"6*7"}' },
            },
            {
              id: 'call_2',
              type: 'function',
              function: { name: 'write_file', arguments: '{"path":"x","content":"y"}' },
            },
          ],
        },
      },
    ],
  },
  { choices: [{ message: { role: 'assistant', content: 'It is 42.' } }] },
  {
    object: 'response',
    output: [
      { type: 'function_call', call_id: 'fc_1', name: 'calculator', arguments: '{"expression":' },
    ],
  },
];
const openai = new OpenAI({
  apiKey: 'none',
  fetch: async () => Response.json(script.shift()),
});

const messages = [{ role: 'user', content: 'What is 6 times 7?' }];
const asked = await openai.chat.completions.create({ model: 'gpt-5', messages, tools });
messages.push(asked.choices[0].message, ...(await run(asked)));
const answered = await openai.chat.completions.create({ model: 'gpt-5', messages, tools });
for (const { content } of messages.slice(2)) console.log('the model reads:', content);
console.log('and says:', answered.choices[0].message.content);
assert.match(messages[2].content, /42/);
// It was not shown to the model, so it is not there for it.
assert.match(messages[3].content, /TOOL_NOT_FOUND/);

const response = await openai.responses.create({
  model: 'gpt-5',
  input: 'And 8 times 9?',
  tools: responsesTools,
});
const outputs = await run(response);
console.log('half a call:', outputs[0].output.split('\n')[0]);
assert.equal(outputs[0].call_id, 'fc_1');
assert.match(outputs[0].output, /not JSON/);

await crib.close();
