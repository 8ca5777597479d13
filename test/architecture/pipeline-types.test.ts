/** Compiles pipeline-types.ts: every case in it is an error, and the control is none. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { describe, expect, it } from 'vitest';
import { readText } from './source-text.ts';

const path = fileURLToPath(new URL('./pipeline-types.ts', import.meta.url));
const text = readText('test/architecture/pipeline-types.ts');
const directive = /\/\/ @ts-expect-error .*/g;

/** The lines on which the file does not compile, with its text replaced by another. */
const errorLines = (replaced: string): readonly number[] => {
  const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  const host = ts.createCompilerHost(options);
  const read = host.readFile;
  host.readFile = (name) => (name === path ? replaced : read.call(host, name));
  const program = ts.createProgram([path], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ file, start }) => (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1);
};

/** 1-based numbers of the lines below each directive. */
const expected = text
  .split('\n')
  .flatMap((line, index) => (line.includes('// @ts-expect-error') ? [index + 2] : []));

describe('pipeline types', () => {
  it('refuse a missing gate, a wrong order and a stage that forgets to hand the call on', () => {
    expect(expected.length).toBeGreaterThanOrEqual(7);
    expect(errorLines(text)).toEqual([]);
  });

  it('fail in each of the cases and nowhere else once the marks are taken away', () => {
    expect([...new Set(errorLines(text.replace(directive, '//')))]).toEqual(expected);
  });
});
