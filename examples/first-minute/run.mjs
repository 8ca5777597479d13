// Five calls through the counter: three simple ones, one that is refused, one that asks first and
// is taken back afterwards. Then the audit trail, and the proof that nobody edited it.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrib } from 'toolcrib';

const say = (line = '') => process.stdout.write(`${line}\n`);
const root = await mkdtemp(join(tmpdir(), 'toolcrib-demo-'));
await writeFile(join(root, '.env'), 'API_KEY=do-not-look\n');

const crib = await createCrib({
  root,
  approver: ({ tool, action, reason }) => {
    say(`   ? approval asked for ${tool} (${action}): ${reason}`);
    say('   ? the demo says yes');
    return true;
  },
});

say('Toolcrib: every tool call of an agent goes over one counter.');
say(`Workspace of this demo: ${root}`);
say();

let number = 0;
const call = async (why, tool, input) => {
  say(`${++number}. ${why}`);
  say(`   > ${tool} ${JSON.stringify(input)}`);
  const result = await crib.execute(tool, input);
  if (result.success) say(`   = ${JSON.stringify(result.data)}`);
  else say(`   x ${result.error.code}: ${result.error.message}`);
  say();
  return result;
};

const sum = await call('A read-only tool runs at once.', 'calculator', {
  expression: 'sqrt(16) + 2^3',
});
const parsed = await call('Models return broken JSON; this one mends it.', 'json_parser', {
  text: "Here you are: {name: 'Ada', born: 1815,}",
});
await call('A write is claimed before it happens, and keeps a snapshot.', 'write_file', {
  path: 'notes.txt',
  content: 'buy milk\n',
});
const secret = await call('Secrets are refused, whoever asks.', 'read_file', { path: '.env' });
const removed = await call('Deleting needs a person to agree.', 'file_operations', {
  operation: 'delete',
  path: 'notes.txt',
});

const { executionId } = removed.metadata;
const undone = await crib.executions.undo(executionId);
say(`Taken back with crib.executions.undo('${executionId}'): ${undone.data.restored.join(', ')}`);
say();

say('The audit trail, oldest first:');
for (const row of (await crib.audit.query()).toReversed()) {
  const { seq, kind, tool, status, code, hash } = row;
  const cells = [String(seq).padStart(3), kind.padEnd(8), tool.padEnd(16), status.padEnd(8)];
  say(`${cells.join('  ')}  ${code.padEnd(18)}  ${hash.slice(0, 12)}`);
}
const check = await crib.audit.verify();
say();
say(`Chain of ${check.rows} rows: ${check.ok ? 'unbroken' : 'BROKEN'}.`);

assert.equal(sum.data.result, 12);
assert.deepEqual(parsed.data.data, { name: 'Ada', born: 1815 });
assert.equal(secret.status, 'denied');
assert.equal(removed.success, true);
assert.equal(await readFile(join(root, 'notes.txt'), 'utf8'), 'buy milk\n');
assert.equal(check.ok, true);

await crib.close();
await rm(root, { recursive: true });
say();
say('Try it yourself:  npx toolcrib run calculator expression="3 km + 200 m"');
say('                  npx toolcrib tools');
