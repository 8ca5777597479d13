/** parse_typescript: outline, imports, exports, errors, and text made to break a parser. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { loadCompiler } from './load-compiler.ts';
import { parseTypescript } from './parse-typescript.ts';

vi.setConfig({ testTimeout: 60_000 });

let workspace: Workspace;
const run = (input: object, signal?: AbortSignal) =>
  runTool(parseTypescript, input, workspace.contextFor(parseTypescript, signal ? { signal } : {}));

beforeEach(() => {
  workspace = createWorkspace({ 'a.tsx': 'export default () => <p>x</p>;\n' });
});
afterEach(() => workspace.remove());

describe('parse_typescript examples', () => {
  it.each(titlesOf(parseTypescript))('the example "%s" gives the documented result', (title) =>
    runExample(parseTypescript, title, workspace.contextFor(parseTypescript)),
  );
});

describe('parse_typescript', () => {
  it('sees every form of import and export', async () => {
    const code = `import a, { b as c } from 'one';
import type { T } from 'two';
import * as all from 'three';
export * from 'four';
export { x as y } from 'five';
const d = require('six');
void import('seven');
export const { e, f: [g] } = d;
export class Box { constructor() {} get n() { return 1; } }
export default a;
`;
    const { imports, exports, importDetails, ast, errors } = await run({ code });
    expect(errors).toEqual([]);
    expect(imports).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
    expect(exports).toEqual(['*', 'y', 'e', 'g', 'Box', 'default']);
    expect(importDetails[0]).toMatchObject({ names: ['default', 'b'], line: 1, typeOnly: false });
    expect(importDetails[1]).toMatchObject({ typeOnly: true });
    expect(ast.find(({ name }) => name === 'Box')).toMatchObject({
      exported: true,
      children: [{ kind: 'Constructor' }, { kind: 'GetAccessor', name: 'n' }],
    });
  });

  it('reads a file and takes the language from its ending', async () => {
    expect(await run({ filePath: 'a.tsx' })).toMatchObject({ errors: [], exports: ['default'] });
  });

  it('refuses text that is nested too deeply, and parses a long expression', async () => {
    const deep = await run({ code: '('.repeat(300_000) }).catch((error: unknown) => error);
    expect(deep).toMatchObject({ code: 'VALIDATION_ERROR' });
    const long = await run({ code: `const x = ${'1+'.repeat(3_000)}1;` });
    expect(long.ast.length + Number(long.truncated)).toBeGreaterThan(0);
  });

  it.each([{}, { code: 'x'.repeat(1_000_001) }, { filePath: 'a\0.ts' }, { filePath: 'notes.txt' }])(
    'refuses bad input %#',
    async (input) => {
      await expect(run(input)).rejects.toMatchObject({ name: 'ZodError' });
    },
  );

  it('reads nothing outside, and stops when cancelled', async () => {
    await expect(run({ filePath: '../x.ts' })).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
    await expect(run({ code: 'x' }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('runs no compiler from the workspace unless its owner trusts it', async () => {
    workspace.put('node_modules/typescript/package.json', '{"name":"typescript","main":"i.js"}');
    const canary = join(workspace.root, 'pwned');
    workspace.put(
      'node_modules/typescript/i.js',
      `require('node:fs').writeFileSync(${JSON.stringify(canary)}, ''); module.exports = {};`,
    );
    await run({ code: 'x' });
    expect(existsSync(canary)).toBe(false);
    const trusted = await loadCompiler({ compilerFolders: [workspace.root] });
    expect(trusted.file).not.toContain(workspace.root);
  });
});
