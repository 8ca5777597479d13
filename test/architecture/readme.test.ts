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

/** What is wrong with a program that imports the package by its name. */
const compile = (text: string): readonly string[] => {
  const path = `${root}example.ts`;
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const paths = { toolcrib: [`${root}src/index.ts`] };
  const host = ts.createCompilerHost({ ...options, paths });
  const { fileExists, readFile } = host;
  host.fileExists = (name) => name === path || fileExists.call(host, name);
  host.readFile = (name) => (name === path ? text : readFile.call(host, name));
  const program = ts.createProgram([path], { ...options, paths }, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || file.fileName === path)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

/** First groups of all matches in the blocks that show a terminal. */
const inTerminal = (pattern: RegExp): readonly string[] =>
  [...codeBlocks(page, '').join('\n').matchAll(pattern)].map((match) => match[1] ?? '');

describe('README', () => {
  it('shows programs that compile', () => {
    const programs = codeBlocks(page, 'ts');
    expect(programs).not.toHaveLength(0);
    for (const program of programs) expect(compile(program)).toEqual([]);
  });

  it('would not get away with a program that does not', () => {
    const program = "import { createCrab } from 'toolcrib';\ncreateCrab();";
    expect(compile(program)).toEqual([expect.stringContaining('createCrab')]);
  });

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
