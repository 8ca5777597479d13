/** The tarball of `npm pack`: what is in it, what it brings along, and that it works right after an installation. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { megabytesOf, type PackedPackage, packPackage, root } from './packed-package.ts';

const MAX_FILES = 2600;
const MAX_OWN_MEGABYTES = 23.75;
const MAX_MEGABYTES = 95;
const MAX_PACKAGES = 80;

/** Everything a user installs with us. A new entry needs a reason in docs/decisions/0029. */
const RUNTIME_DEPENDENCIES = [
  '@jitl/quickjs-ng-wasmfile-release-sync',
  '@marcbachmann/cel-js',
  '@modelcontextprotocol/core',
  '@photostructure/sqlite',
  'acorn',
  'ajv',
  'ajv-formats',
  'commander',
  'croner',
  'diff',
  'esbuild',
  'fastest-levenshtein',
  'htmlparser2',
  'ipaddr.js',
  'jmespath',
  'jose',
  'jsonc-parser',
  'jsonrepair',
  'lru-cache',
  'picocolors',
  'quickjs-emscripten-core',
  're2js',
  'semver',
  'smol-toml',
  'unbash',
  'undici',
  'wink-eng-lite-web-model',
  'wink-nlp',
  'yaml',
  'zod',
];

/** `oxlint` is run as a program, see analyze-code.test.ts; the other stands in for `@openai/agents`. */
const NOT_IMPORTED_ALONE = ['@openai/agents-core', 'oxlint'];

const run = promisify(execFile);
let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage();
}, 180_000);
afterAll(() => rmSync(packed.project, { recursive: true, force: true }));

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, HOME: packed.project });
const cliArgs = (args: readonly string[]): string[] => [
  join(packed.folder, 'dist/cli/main.js'),
  ...args,
];
const toolcrib = async (...args: readonly string[]): Promise<string> => {
  const options = { cwd: packed.project, env: environment() };
  return (await run(process.execPath, cliArgs(args), options)).stdout;
};

const IMPORTED =
  /\b(?:(?:import|export)\b[\w\s{},*$]*\bfrom\s*|import\s*\(?\s*)["'`]([@a-z][\w@./:-]*)["'`]/g;
/** Comments of the libraries show imports, too. */
const EXAMPLES = /^ *\* .*$/gm;
const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Bare names that files with this ending import, with one of the files. */
const importedBy = (ending: RegExp): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const file of packed.files.filter((path) => ending.test(path))) {
    const text = readFileSync(join(packed.folder, file), 'utf8').replace(EXAMPLES, '');
    for (const [, name = ''] of text.matchAll(IMPORTED)) names.set(packageOf(name), file);
  }
  return names;
};

describe('the tarball of the package', () => {
  it('holds neither source maps nor tests nor sources', () => {
    const unwanted = /\.map$|\.test\.|(?:^|\/)(?:fixtures|test|src|coverage)\/|(?<!\.d)\.ts$/;
    expect(packed.files.filter((file) => unwanted.test(file))).toEqual([]);
    const pointing = packed.files.filter(
      (file) =>
        /\.m?[jt]s$/.test(file) &&
        /^\/\/# sourceMappingURL=(?!data:)/m.test(readFileSync(join(packed.folder, file), 'utf8')),
    );
    expect(pointing).toEqual([]);
  });

  it(`has at most ${MAX_FILES} files and ${MAX_OWN_MEGABYTES} MB`, () => {
    expect(packed.files.length).toBeLessThanOrEqual(MAX_FILES);
    expect(megabytesOf([packed.folder])).toBeLessThanOrEqual(MAX_OWN_MEGABYTES);
  });

  it('depends on the packages of the list and no others', () => {
    expect(Object.keys(packed.manifest.dependencies).sort()).toEqual(RUNTIME_DEPENDENCIES);
    const { peerDependencies, peerDependenciesMeta } = packed.manifest;
    const required = Object.keys(peerDependencies).filter(
      (name) => peerDependenciesMeta[name]?.optional !== true,
    );
    expect(required).toEqual([]);
  });

  it(`brings at most ${MAX_PACKAGES} packages and ${MAX_MEGABYTES} MB, itself included`, () => {
    expect(packed.installed.length + 1).toBeLessThanOrEqual(MAX_PACKAGES);
    const top = packed.installed.filter((place) => place.lastIndexOf('node_modules/') === 0);
    const folders = [packed.folder, ...top.map((place) => join(root, place))];
    expect(megabytesOf(folders)).toBeLessThanOrEqual(MAX_MEGABYTES);
  });

  it('imports nothing that is neither a dependency nor an optional peer', () => {
    const { dependencies, peerDependencies } = packed.manifest;
    const known = new Set([
      ...Object.keys({ ...dependencies, ...peerDependencies }),
      ...builtinModules,
    ]);
    const unknown = [...importedBy(/^dist\/(?!console\/).*\.js$/)].filter(
      ([name]) => !known.has(name) && !name.startsWith('node:') && name !== 'toolcrib',
    );
    expect(unknown).toEqual([]);
    const undeclared = [...importedBy(/\.d\.m?ts$/)].filter(
      ([name]) => !known.has(name) && !name.startsWith('node:'),
    );
    expect(undeclared).toEqual([]);
  });

  it('names the licence of every library that it holds', () => {
    const text = readFileSync(join(packed.folder, 'dist/libraries/LICENSES.txt'), 'utf8');
    for (const name of ['mathjs', 'gpt-tokenizer', 'luxon', 'cheerio', 'parse5', 'decimal.js']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([A-Z]`, 'm'));
    }
    expect(text).not.toMatch(/\((?:A?GPL|LGPL|UNLICENSED|undefined)/);
  });

  it('pins the part of the MCP library that is installed to the version of those it holds', () => {
    const read = (path: string): { version: string } =>
      JSON.parse(readFileSync(join(root, 'node_modules/@modelcontextprotocol', path), 'utf8'));
    const { version } = read('client/package.json');
    expect(packed.manifest.dependencies['@modelcontextprotocol/core']).toBe(version);
    expect(read('server/package.json').version).toBe(version);
  });
});

describe('a program right after an installation', () => {
  it('calculates, reads dates and text, and counts tokens', async () => {
    const asked = async (tool: string, input: object): Promise<unknown> =>
      JSON.parse(await toolcrib('run', tool, JSON.stringify(input), '--json')).data;
    expect(await asked('calculator', { expression: '2+2' })).toMatchObject({ result: 4 });
    expect(await asked('datetime', { operation: 'now', timezone: 'Europe/Berlin' })).toMatchObject({
      timezone: 'Europe/Berlin',
    });
    expect(JSON.parse(await toolcrib('tools', 'tokens', '--json')).total).toBeGreaterThan(1_000);
  }, 120_000);

  it('makes a project, and finds nothing broken in it', async () => {
    await toolcrib('init');
    expect(await toolcrib('doctor')).toContain('Ready.');
  }, 120_000);

  it('answers a call over MCP on standard streams', async () => {
    const child = spawn(process.execPath, cliArgs(['mcp']), {
      cwd: packed.project,
      env: environment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (message: object): Promise<Record<string, unknown>> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      return JSON.parse((await lines.next()).value ?? '{}');
    };
    const clientInfo = { name: 'test', version: '1' };
    await ask({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const params = { name: 'calculator', arguments: { expression: '2+2' } };
    const { result } = await ask({ id: 2, method: 'tools/call', params });
    expect(result).toMatchObject({ structuredContent: { result: 4 } });
    child.stdin.end();
  }, 120_000);

  it('serves the console and the OpenAPI document', async () => {
    const child: ChildProcess = spawn(process.execPath, cliArgs(['serve', '--port', '0']), {
      cwd: packed.project,
      env: environment(),
    });
    try {
      const address = await addressOf(child);
      const page = await fetch(address);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
      expect(await (await fetch(`${address}/openapi.json`)).json()).toMatchObject({
        openapi: '3.1.0',
      });
    } finally {
      child.kill('SIGTERM');
    }
  }, 120_000);

  it('says which optional package to install when a use of it finds none', async () => {
    const program = join(root, 'test/fixtures/missing-packages.mjs');
    const { stdout } = await run(process.execPath, [program, packed.folder], {
      cwd: packed.project,
      env: environment(),
    });
    const failures: Record<string, unknown> = JSON.parse(stdout);
    for (const [name, failure] of Object.entries(failures)) {
      expect({ name, failure }).toMatchObject({
        failure: { code: 'DEPENDENCY_MISSING', suggestions: expect.anything() },
      });
      expect(JSON.stringify(failure)).toMatch(new RegExp(`npm install [^"]*${name}`));
    }
    expect([...Object.keys(failures), ...NOT_IMPORTED_ALONE].sort()).toEqual(
      Object.keys(packed.manifest.peerDependencies).sort(),
    );
  }, 120_000);
});

const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      const [, address] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(text) ?? [];
      if (address) resolve(address);
    });
    child.on('close', () => reject(new Error(`The server ended: ${text}`)));
  });
