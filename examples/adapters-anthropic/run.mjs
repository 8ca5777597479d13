// The tools of a crib with Anthropic's library: once by hand, once with its tool runner. The answers
// of the model are scripted, so that the story needs no key.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { createCrib, defineTool } from 'toolcrib';
import { z } from 'zod';

const forecast = defineTool({
  name: 'weather.forecast',
  description: 'Tells the weather of tomorrow.',
  tier: 'read_only',
  input: z.strictObject({ city: z.string() }),
  run: ({ city }) => `Rain in ${city}.`,
});
const crib = await createCrib({ store: 'memory', builtins: false, tools: [forecast] });
const { tools, runnable, run } = await crib.tools.forAnthropic();

const usage = { input_tokens: 1, output_tokens: 1 };
const says = (stop_reason, ...content) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_reason,
  usage,
});
const calls = (id, input) => ({ type: 'tool_use', id, name: 'weather_forecast', input });
const script = [];
const sent = [];
const anthropic = new Anthropic({
  apiKey: 'none',
  fetch: async (_url, { body }) => {
    sent.push(JSON.parse(body));
    return Response.json(script.shift());
  },
});
const question = { role: 'user', content: 'Do I need an umbrella?' };
const request = { model: 'claude', max_tokens: 500, tools };

script.push(says('tool_use', calls('toolu_1', { city: 'Kigali' }), calls('toolu_2', { town: 1 })));
const message = await anthropic.messages.create({ ...request, messages: [question] });
const [rain, wrong] = await run(message);
console.log('the model reads:', rain.content[0].text);
console.log('and of its mistake:', wrong.content[0].text.split('\n')[0]);
assert.equal(rain.content[0].text, 'Rain in Kigali.');
assert.equal(wrong.is_error, true);

script.push(
  says('tool_use', calls('toolu_3', { city: 'Oslo' })),
  says('end_turn', { type: 'text', text: 'Yes, you do.' }),
);
const last = await anthropic.beta.messages.toolRunner({
  ...request,
  messages: [question],
  tools: runnable,
});
console.log('the tool runner ends with:', last.content[0].text);
assert.equal(sent.at(-1).messages.at(-1).content[0].content[0].text, 'Rain in Oslo.');

await crib.close();
