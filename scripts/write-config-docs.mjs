/** Writes docs/configuration.md from the built schema. Run after `npx tsc -p tsconfig.build.json`. */
import { writeFile } from 'node:fs/promises';
import { configMarkdown } from '../dist/config/document/markdown.js';

await writeFile(new URL('../docs/configuration.md', import.meta.url), configMarkdown());
