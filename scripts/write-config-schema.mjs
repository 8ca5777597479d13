/** Writes docs/config.schema.json from the built schema. Run after `npx tsc -p tsconfig.build.json`. */
import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from '../dist/config/document/json-schema.js';

await writeFile(
  new URL('../docs/config.schema.json', import.meta.url),
  `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
);
