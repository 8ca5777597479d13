/** Compiles pipeline-types.ts: every case in it is an error, and the control is none. */
import { describe, expect, it } from 'vitest';
import { compilePrograms } from './compile-programs.ts';
import { readText } from './source-text.ts';

const source = new URL('../../src/', import.meta.url).pathname;
const text = readText('test/architecture/pipeline-types.ts').replaceAll(
  "'../../src/",
  `'${source}`,
);
const unmarked = text.replaceAll(/\/\/ @ts-expect-error .*/g, '//');

/** 1-based numbers of the lines below each mark. */
const expected = text
  .split('\n')
  .flatMap((line, index) => (line.includes('// @ts-expect-error') ? [index + 2] : []));

describe('pipeline types', () => {
  it('refuse a missing gate, a wrong order and a stage that forgets to hand the call on', () => {
    expect(expected.length).toBeGreaterThanOrEqual(7);
    expect(compilePrograms({ 'cases.ts': text })).toEqual([]);
  });

  it('fail in each of the cases and nowhere else once the marks are taken away', () => {
    const lines = compilePrograms({ 'cases.ts': unmarked }).map(({ line }) => line);
    expect([...new Set(lines)]).toEqual(expected);
  });
});
