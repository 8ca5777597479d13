/** What the README shows is true: its program compiles against the source, its commands exist. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { codeBlocks } from './code-blocks.ts';
import { readText } from './source-text.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readText('README.md');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readText('package.json'));

/** What is wrong with each of some programs that import the package by its name. */
const compile = (programs: readonly string[]): readonly (readonly string[])[] => {
  const texts = new Map(programs.map((text, index) => [`${root}example-${index}.ts`, text]));
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const named = { ...options, paths: { toolcrib: [`${root}src/index.ts`] } };
  const host = ts.createCompilerHost(named);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists.call(host, name);
  host.readFile = (name) => texts.get(name) ?? readFile.call(host, name);
  const compiled = ts.createProgram([...texts.keys()], named, host);
  return [...texts.keys()].map((name) => {
    const file = compiled.getSourceFile(name);
    return [
      ...compiled.getSyntacticDiagnostics(file),
      ...compiled.getSemanticDiagnostics(file),
    ].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
};

/** First groups of all matches in the blocks that show a terminal. */
const inTerminal = (pattern: RegExp): readonly string[] =>
  [...codeBlocks(page, '').join('\n').matchAll(pattern)].map((match) => match[1] ?? '');

describe('README', () => {
  it('shows programs that compile, and would not get away with one that does not', () => {
    const programs = codeBlocks(page, 'ts');
    expect(programs).not.toHaveLength(0);
    const wrong = "import { createCrab } from 'toolcrib';\ncreateCrab();";
    const problems = compile([wrong, ...programs]);
    expect(problems[0]).toEqual([expect.stringContaining('createCrab')]);
    expect(problems.slice(1).flat()).toEqual([]);
  }, 60_000);

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
