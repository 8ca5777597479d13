/** Writes docs/flow.schema.json from the built schema. Run after `npx tsc -p tsconfig.build.json`. */
import { writeFile } from 'node:fs/promises';
import { flowJsonSchema } from '../dist/flow/declared/flow-schema.js';

await writeFile(
  new URL('../docs/flow.schema.json', import.meta.url),
  `${JSON.stringify(flowJsonSchema(), null, 2)}\n`,
);
