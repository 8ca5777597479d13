// Works on jobs that run a flow file, until it is killed or told to end. Each effect is a line in a file,
// with the process that made it.
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
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
const look = defineTool({
  name: 'look',
  description: 'Gives back a number.',
  tier: 'read_only',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  run: ({ n }) => ({ n }),
});
const rules = [{ name: 'own', effect: 'allow', tools: ['append', 'look'] }];
const crib = await createCrib({
  ...(await engineOptions()),
  ...{ root, builtins: false, tools: [append, look], policy: { version: 1, rules } },
});
await crib.flows.registerData(readFileSync(new URL('./effects-flow.yml', import.meta.url), 'utf8'));
const workers = await crib.jobs.work({ concurrency: 8 });
process.stdout.write('works\n');
await once(process.stdin, 'data');
await workers.close();
await crib.close();
process.exit(0);
