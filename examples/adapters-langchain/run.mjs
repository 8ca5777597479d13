// The tools of a crib as structured tools of LangChain: a call of a model becomes a tool message, a
// refusal one of status `error`. With a catalog too large for a prompt, three tools stand for all.
import assert from 'node:assert/strict';
import { createCrib } from 'toolcrib';

const crib = await createCrib({ store: 'memory' });
const caller = { userId: 'ada', sessionId: 'chat-17' };
const [calculator] = await crib.tools.forLangChain({ names: ['calculator'], caller });

const call = { type: 'tool_call', id: 'call_1', name: 'calculator', args: { expression: '6*7' } };
const message = await calculator.invoke(call);
console.log(message.getType(), message.status, message.content);
assert.equal(message.status, 'success');
assert.equal(message.artifact.data.result, 42);

const refused = await calculator.invoke({ ...call, id: 'call_2', args: { sum: '6*7' } });
console.log(refused.status, refused.content.split('\n')[0]);
assert.equal(refused.status, 'error');

const search = await crib.tools.forLangChain({ surface: 'search', caller });
const [find, , use] = search;
console.log('instead of all:', search.map(({ name }) => name).join(', '));
const found = JSON.parse(await find.invoke({ query: 'evaluate a mathematical expression' }));
console.log('found:', found.tools[0].name);
assert.equal(found.tools[0].name, 'calculator');
const input = { name: 'calculator', input: { expression: '2^10' } };
assert.match(await use.invoke(input), /1024/);

const rows = await crib.audit.query({ userId: 'ada' });
console.log('on record:', rows.map(({ tool, status }) => `${tool} ${status}`).join(', '));
assert.equal(rows.filter(({ kind }) => kind === 'outcome').length, 3);

await crib.close();
