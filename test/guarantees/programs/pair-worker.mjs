// Works on jobs that append two lines to a file, until it is killed or told to end. Each line names the
// process, so that whoever watches the file knows whose effect it sees.

import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCrib, defineTool } from '../../../dist/index.js';
import { engineOptions } from './engine-options.mjs';

const [root] = process.argv.slice(2);
const append = defineTool({
  name: 'append',
  description: 'Appends a line to a file.',
  tier: 'write',
  input: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
  run: ({ line }) => {
    appendFileSync(join(root, 'effects.txt'), `${line} ${process.pid}\n`);
    return { line };
  },
});
const rules = [{ name: 'append', effect: 'allow', tools: ['append'] }];
const crib = await createCrib({
  ...(await engineOptions()),
  root,
  builtins: false,
  tools: [append],
  policy: { version: 1, rules },
});
crib.jobs.register('pair', async ({ payload: { n } }, context) => {
  await context.call(append, { line: `${n}-a` });
  await context.call(append, { line: `${n}-b` });
  return n;
});
const workers = await crib.jobs.work({ concurrency: 8 });
process.stdout.write('works\n');
await once(process.stdin, 'data');
await workers.close();
await crib.close();
process.exit(0);
