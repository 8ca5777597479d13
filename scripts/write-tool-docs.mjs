/** Writes docs/tools from the built definitions; pages of tools that are gone go. Run by `npm run docs`. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createCrib } from '../dist/crib/create-crib.js';
import { renderToolDocs } from './render-tool-docs.mjs';

/** Built by itself: the command line is one bundle that hands out none of its parts. */
const loadParameterTable = async () => {
  const { outputFiles } = await build({
    entryPoints: [
      fileURLToPath(new URL('../src/cli/commands/tools/parameter-table.ts', import.meta.url)),
    ],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  );
};

const { parametersOf } = await loadParameterTable();
const crib = await createCrib({ store: 'memory', watch: false });
const { tools } = crib;
const fieldsOf = (schema) => (schema === undefined ? [] : parametersOf(schema));
const described = tools.list({ source: ['builtin'] }).map(({ tool }) => ({
  tool,
  input: fieldsOf(tools.inputSchema(tool.name)),
  output: fieldsOf(tools.outputSchema(tool.name)),
}));
await crib.close();

const folder = fileURLToPath(new URL('../docs/tools/', import.meta.url));
const pages = renderToolDocs(described);
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(`${folder}${name}`);
for (const [name, text] of pages) writeFileSync(`${folder}${name}`, text);
