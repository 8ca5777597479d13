// Puts into `dist/libraries` the libraries of which the package needs a small part: whole, they make up
// two thirds of an installation. Imports of them in `dist` are then turned to the files here.
// docs/decisions/0029-what-an-installation-brings.md says which libraries belong on this list.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const target = join(dist, 'libraries');

/** What the sources import, and the file that takes its place. */
const BUNDLED = {
  '@dagrejs/dagre': 'dagre',
  '@hono/node-server': 'hono-node-server',
  '@hono/node-server/utils/response': 'hono-node-response',
  '@hono/zod-openapi': 'hono-zod-openapi',
  '@modelcontextprotocol/client': 'mcp-client',
  '@modelcontextprotocol/server': 'mcp-server',
  '@modelcontextprotocol/server/stdio': 'mcp-server-stdio',
  '@opentelemetry/api': 'otel-api',
  '@opentelemetry/api-logs': 'otel-api-logs',
  '@opentelemetry/context-async-hooks': 'otel-context-async-hooks',
  '@opentelemetry/exporter-logs-otlp-proto': 'otel-exporter-logs',
  '@opentelemetry/exporter-metrics-otlp-proto': 'otel-exporter-metrics',
  '@opentelemetry/exporter-trace-otlp-proto': 'otel-exporter-traces',
  '@opentelemetry/resources': 'otel-resources',
  '@opentelemetry/sdk-logs': 'otel-sdk-logs',
  '@opentelemetry/sdk-metrics': 'otel-sdk-metrics',
  '@opentelemetry/sdk-trace-base': 'otel-sdk-trace-base',
  cheerio: 'cheerio',
  'gpt-tokenizer/encoding/o200k_base': 'gpt-tokenizer',
  graphql: 'graphql',
  'hono/router/reg-exp-router': 'hono-reg-exp-router',
  'hono/router/smart-router': 'hono-smart-router',
  'hono/router/trie-router': 'hono-trie-router',
  luxon: 'luxon',
  'mathjs/lib/browser/math.js': 'mathjs',
  pino: 'pino',
  'prom-client': 'prom-client',
  'sanitize-html': 'sanitize-html',
};
/** Declarations that are part of our public types: they come along, with those they need. */
const WITH_TYPES = { '@modelcontextprotocol/server': 'index.d.mts' };

const pack = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packageOf = (name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** What is installed beside us anyway is not bundled: there is one copy of it, and its fixes arrive. */
const isInstalled = (id) =>
  Object.hasOwn(pack.dependencies, packageOf(id)) && !Object.hasOwn(BUNDLED, id);

const folderOfPackage = (file) => {
  let folder = dirname(file);
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder;
  }
  throw new Error(`${file} lies in no package.`);
};

const licenceOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((entry) => /^(licen[cs]e|copying|notice)/i.test(entry))
    .map((entry) => readFileSync(join(folder, entry), 'utf8').trim());
  return { library: `${name} ${version} (${license})`, text: texts.join('\n\n') };
};

/** Writes each text once, below all libraries that have it. */
const licencesOf = (folders) => {
  const libraries = new Map();
  for (const { library, text } of folders.map(licenceOf)) {
    libraries.set(text, [...(libraries.get(text) ?? []), library]);
  }
  return [...libraries]
    .map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(BUNDLED).map(([name, file]) => [file, name])),
  cwd: root,
  platform: 'node',
  // A bundle of CommonJS has a default export only.
  resolve: { mainFields: ['module', 'main'] },
  external: isInstalled,
});
rmSync(target, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  chunkFileNames: 'shared-[hash].js',
  // Names stay, for stack traces.
  minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

const folders = new Set(
  output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .filter((id) => id.includes('node_modules') && existsSync(id.replace(/[?\0].*$/, '')))
    .map((id) => folderOfPackage(id.replace(/[?\0].*$/, ''))),
);
// The build of mathjs that is used is one file with its dependencies in it.
const mathjs = folderOfPackage(fileURLToPath(import.meta.resolve('mathjs/lib/browser/math.js')));
const inside = JSON.parse(readFileSync(join(mathjs, 'package.json'), 'utf8')).dependencies;
for (const name of Object.keys(inside)) folders.add(join(root, 'node_modules', name));
writeFileSync(join(target, 'LICENSES.txt'), licencesOf([...folders]));

/** Copies a declaration file and those it imports by a relative path. */
const copyDeclarations = (file, name) => {
  const text = readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  writeFileSync(join(target, name), text);
  for (const [, specifier] of text.matchAll(/from ["'](\.\/[^"']+)\.mjs["']/g)) {
    const next = `${basename(specifier)}.d.mts`;
    if (!existsSync(join(target, next))) copyDeclarations(join(dirname(file), next), next);
  }
};
for (const [name, file] of Object.entries(WITH_TYPES)) {
  const folder = dirname(fileURLToPath(import.meta.resolve(name)));
  copyDeclarations(join(folder, file), `${BUNDLED[name]}.d.ts`);
}

const IMPORTED = /(\bfrom\s*|\bimport\s*\(?\s*)(["'`])([^"'`\s]+)\2/g;
const redirect = (text, folder) =>
  text.replace(IMPORTED, (whole, before, quote, name) => {
    if (!Object.hasOwn(BUNDLED, name)) return whole;
    const path = relative(folder, join(target, `${BUNDLED[name]}.js`)).replaceAll('\\', '/');
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });

for (const entry of readdirSync(dist, { recursive: true })) {
  const file = join(dist, entry);
  if (!/\.(js|d\.ts)$/.test(entry) || file.startsWith(target)) continue;
  const text = readFileSync(file, 'utf8');
  const redirected = redirect(text, dirname(file));
  if (redirected !== text) writeFileSync(file, redirected);
}
