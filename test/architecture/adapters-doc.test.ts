/** What the page on adapters shows compiles against the source and the real libraries. */
import { describe, expect, it } from 'vitest';
import { codeBlocks } from './code-blocks.ts';
import { compilePrograms } from './compile-programs.ts';
import { readText } from './source-text.ts';

describe('docs/adapters.md', () => {
  it('shows programs that compile, and would not get away with one that does not', () => {
    const shown = codeBlocks(readText('docs/adapters.md'), 'ts').map(
      (text, index) => [`shown-${index}.ts`, text] as const,
    );
    expect(shown.length).toBeGreaterThan(4);
    const wrong = "import { createCrib } from 'toolcrib';\n(await createCrib()).tools.forNobody();";
    const errors = compilePrograms({ ...Object.fromEntries(shown), 'wrong.ts': wrong });
    expect(errors.map(({ file, line, message }) => [`${file}:${line}`, message])).toEqual([
      ['wrong.ts:2', expect.stringContaining('forNobody')],
    ]);
  }, 120_000);
});
