/** What the README shows is true: its program compiles against the source, its commands exist. */
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { codeBlocks } from './code-blocks.ts';
import { compilePrograms } from './compile-programs.ts';
import { readText } from './source-text.ts';

const page = readText('README.md');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readText('package.json'));

/** First groups of all matches in the blocks that show a terminal. */
const inTerminal = (pattern: RegExp): readonly string[] =>
  [...codeBlocks(page, '').join('\n').matchAll(pattern)].map((match) => match[1] ?? '');

describe('README', () => {
  it('shows programs that compile, and would not get away with one that does not', () => {
    const shown = codeBlocks(page, 'js').map((text, index) => [`shown-${index}.ts`, text]);
    expect(shown).not.toHaveLength(0);
    const wrong = "import { createCrab } from 'toolcrib';\ncreateCrab();";
    const errors = compilePrograms({ ...Object.fromEntries(shown), 'wrong.ts': wrong });
    expect(errors.map(({ file, line }) => `${file}:${line}`)).toEqual(['wrong.ts:1']);
  }, 120_000);

  it('names commands that exist', () => {
    const commands = inTerminal(/^toolcrib ([\w-]+)/gm);
    const known = new Set(COMMANDS.map(({ name }) => name));
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((name) => !known.has(name))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const names = inTerminal(/\bnpm (?:run )?(\w+)/g).filter((name) => name !== 'ci');
    expect(names).toEqual(['start', 'test']);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
