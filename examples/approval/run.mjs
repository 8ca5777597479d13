// A call that needs a person's word: it waits, somebody decides, and the approval is good for this
// one call with this very input, once.
import assert from 'node:assert/strict';
import { createCrib, defineTool } from 'toolcrib';
import { z } from 'zod';

const sent = [];

const sendMoney = defineTool({
  name: 'send_money',
  description: 'Sends money to somebody.',
  tier: 'external_api',
  input: z.strictObject({ to: z.string(), usd: z.number().positive() }),
  run: (input) => {
    sent.push(input);
    return { sent: true };
  },
});

const crib = await createCrib({ store: 'memory', builtins: false, tools: [sendMoney] });
const input = { to: 'Ada', usd: 5 };

const waiting = await crib.execute('send_money', input);
console.log(waiting.status, waiting.approval.approvalId);
assert.equal(waiting.status, 'pending');

const [{ request }] = await crib.approvals.list();
console.log(`asked: ${request.tool} ${JSON.stringify(request.input)}: ${request.reason}`);
const { approvalId } = waiting.approval;
await crib.approvals.decide(approvalId, { approve: true, by: 'grace' });

const another = await crib.execute('send_money', { ...input, usd: 5000 }, { approvalId });
console.log('with another amount:', another.error.code);
assert.equal(another.error.code, 'APPROVAL_EXPIRED');

const done = await crib.execute('send_money', input, { approvalId });
const again = await crib.execute('send_money', input, { approvalId });
console.log('the approved call:', done.status, '- once more:', again.error.code);
assert.equal(done.success, true);
assert.equal(again.success, false);
assert.deepEqual(sent, [input]);

await crib.close();
