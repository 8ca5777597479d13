// One process that works on the report: the flow is data, in research.yml.
import { readFileSync } from 'node:fs';
import { createTools, work } from './tools.mjs';

await work({
  tools: createTools(process.argv[3]),
  register: (flows) =>
    flows.registerData(readFileSync(new URL('./research.yml', import.meta.url), 'utf8')),
});
