// Joins the files of the command line into a few, so that it starts fast: loading some three hundred
// modules one by one takes longer than everything a short command does. The library stays as it is.
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** What only some commands need stays outside and is loaded when it is needed. */
const LOADED_LATE = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@grpc/grpc-js',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@jitl/quickjs-ng-wasmfile-release-sync',
  '@langchain/core',
  '@marcbachmann/cel-js',
  '@mastra/core',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@napi-rs/keyring',
  '@openai/agents',
  '@openai/agents-core',
  '@opentelemetry',
  '@photostructure/sqlite',
  'acorn',
  'ai',
  'ajv',
  'ajv-formats',
  'bullmq',
  'cheerio',
  'diff',
  'dockerode',
  'esbuild',
  'gpt-tokenizer',
  'graphql',
  'hono',
  'htmlparser2',
  'ioredis',
  'ipaddr.js',
  'jmespath',
  'jose',
  'jsonc-parser',
  'jsonrepair',
  'luxon',
  'mathjs',
  'pg',
  'pino',
  'playwright-core',
  'prom-client',
  'quickjs-emscripten-core',
  're2js',
  'sanitize-html',
  'typescript-api',
  'unbash',
  'undici',
  'wink-eng-lite-web-model',
  'wink-nlp',
];

/** Zod brings its messages in fifty languages; the program speaks one. */
const englishOnly = {
  name: 'english-only',
  load: (id) =>
    /zod[/\\]v4[/\\]locales[/\\]index\.js$/.test(id)
      ? "export { default as en } from './en.js';"
      : undefined,
};

/** Commander can run subcommands as programs of their own; ours are none, and the module takes 5 ms. */
const noChildProcess = {
  name: 'no-child-process',
  transform: (code, id) =>
    /commander[/\\]lib[/\\]command\.js$/.test(id)
      ? code.replace("require('node:child_process')", '{}')
      : undefined,
};

/** What costs nothing to load. */
const CHEAP = new Set(['node:crypto', 'node:fs', 'node:fs/promises', 'node:os', 'node:path']);
const IMPORTED = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

/**
 * Finds the small mechanisms that need nothing but each other. They make one chunk: by themselves they would be
 * some seventy, most of them smaller than a block of the disk.
 */
const smallModules = async () => {
  const imports = new Map();
  for (const folder of ['contract', 'kit']) {
    for (const file of await readdir(join(dist, folder), { recursive: true })) {
      if (!file.endsWith('.js')) continue;
      const path = join(dist, folder, file);
      const text = await readFile(path, 'utf8');
      imports.set(
        path,
        [...text.matchAll(IMPORTED)].map(([, name]) =>
          name.startsWith('.') ? resolve(dirname(path), name) : name,
        ),
      );
    }
  }
  const isSmall = (name) => CHEAP.has(name) || imports.has(name);
  for (let before = -1; before !== imports.size; ) {
    before = imports.size;
    for (const [path, names] of imports) if (!names.every(isSmall)) imports.delete(path);
  }
  return imports;
};

/** Less to parse; names stay, for stack traces. */
const minify = { mangle: false, compress: false, codegen: { removeWhitespace: true } };

const bundle = await rolldown({
  input: join(dist, 'cli/main.js'),
  platform: 'node',
  external: (id) => LOADED_LATE.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [englishOnly, noChildProcess],
});
const bundled = join(dist, 'cli-bundled');
const small = await smallModules();
await bundle.write({
  dir: bundled,
  format: 'esm',
  minify,
  codeSplitting: { groups: [{ name: 'kit', test: (id) => small.has(id) }] },
});
await bundle.close();

/**
 * Work modules are loaded by processes of their own (src/kit/work/data-work.ts), each by its path below
 * the folder of its tools: they lie below the bundle by the same path. Those of sources lie beside
 * the module that asks, so that their names are enough.
 */
const workModules = async () => {
  const entries = {};
  for (const folder of ['tools', 'sources']) {
    for (const file of await readdir(join(dist, folder), { recursive: true })) {
      const [, ...path] = file.split(sep);
      if (path.length === 0 || !file.endsWith('-work.js')) continue;
      const below = folder === 'tools' ? path.join('/') : path.at(-1);
      const name = below.replace(/\.js$/, '');
      if (entries[name]) throw new Error(`Two work modules are called ${name}.`);
      entries[name] = join(dist, folder, file);
    }
  }
  return entries;
};

const works = await rolldown({
  input: await workModules(),
  platform: 'node',
  external: (id) => LOADED_LATE.some((name) => id === name || id.startsWith(`${name}/`)),
});
await works.write({
  dir: bundled,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'work-[name]-[hash].js',
  minify,
});
await works.close();
await rm(join(dist, 'cli'), { recursive: true });
await rename(bundled, join(dist, 'cli'));
