import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { compilePolicy } from '../../src/governance/policy/compile-policy.ts';
import { parsePolicy } from '../../src/governance/policy/document/parse-policy.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Block {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

const blocksOf = (page: string): readonly Block[] => {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] ?? '',
  }));
};

/** What a reader would install is what was just built. */
const resolved = (code: string): string => {
  const here = (path: string): string => pathToFileURL(join(root, path)).href;
  return code
    .replaceAll("from 'toolcrib'", `from '${here('dist/index.js')}'`)
    .replaceAll("from 'zod'", `from '${import.meta.resolve('zod')}'`);
};

/** `console.log(x); // expected` must print what it says. */
const promisedOutput = (code: string): readonly string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text ?? '');

const PAGES = [
  ...['README.md', 'docs/library.md', 'docs/flows.md', 'docs/jobs.md', 'docs/governance.md'],
];
const blocks = PAGES.flatMap(blocksOf);

describe('rules in the documentation', () => {
  const text = readFileSync(join(root, 'docs/governance.md'), 'utf8');
  const [, rules = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];

  it('can be put in force', () => {
    const source = parsePolicy(rules, 'docs/governance.md');
    expect(compilePolicy([source]).warnings).toEqual([]);
    expect(source.document.rules).toHaveLength(4);
  });
});

describe('code in the documentation', () => {
  it('is there', () => expect(blocks.length).toBeGreaterThan(5));

  it.each(blocks)('$page:$line runs and prints what it promises', async ({ line, page, code }) => {
    const file = join(scratch, `${page.replaceAll('/', '-')}-${line}.mjs`);
    writeFileSync(file, resolved(code));
    const { stdout } = await run(process.execPath, [file], { cwd: scratch });
    const printed = stdout.split('\n');
    for (const promise of promisedOutput(code)) {
      if (!promise.startsWith('what ')) expect(printed).toContain(promise);
    }
  });
});
