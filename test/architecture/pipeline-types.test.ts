/** Compiles pipeline-types.ts: every case in it is an error, and the control is none. */
import { describe, expect, it } from 'vitest';
import { lazy } from '../../src/kit/data/lazy.ts';
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

/** Compiled together, and once: that takes seconds. */
const errorsIn = lazy(() => compilePrograms({ 'cases.ts': text, 'unmarked.ts': unmarked }));

describe('pipeline types', () => {
  it('refuse a missing gate, a wrong order and a stage that forgets to hand the call on', () => {
    expect(expected.length).toBeGreaterThanOrEqual(7);
    expect(errorsIn().filter(({ file }) => file === 'cases.ts')).toEqual([]);
  }, 120_000);

  it('fail in each of the cases and nowhere else once the marks are taken away', () => {
    const unmarkedErrors = errorsIn().filter(({ file }) => file === 'unmarked.ts');
    expect([...new Set(unmarkedErrors.map(({ line }) => line))]).toEqual(expected);
  }, 120_000);
});
