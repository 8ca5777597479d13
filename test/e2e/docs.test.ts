import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { compilePolicy } from '../../src/governance/policy/compile-policy.ts';
import { parsePolicy } from '../../src/governance/policy/document/parse-policy.ts';
import { blocksOf, resolved } from './doc-blocks.ts';

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** `console.log(x); // expected` must print what it says. */
const promisedOutput = (code: string): readonly string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text ?? '');

const PAGES = [
  ...['README.md', 'docs/library.md', 'docs/composition.md', 'docs/flows.md', 'docs/jobs.md'],
  ...['docs/governance.md', 'docs/health.md'],
];
const blocks = PAGES.flatMap((page) => blocksOf(page, 'js'));

describe('rules in the documentation', () => {
  const rules = blocksOf('docs/governance.md', 'yaml')[0]?.code ?? '';

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
