/** Every promise has its proof; and a promise without one, or with one that never runs, is found. */
import { describe, expect, it } from 'vitest';
import { checkGuarantees, testTitles } from './architecture/check-guarantees.ts';
import { readSources } from './architecture/source-text.ts';
import { GUARANTEES } from './guarantees.ts';

const text = `
describe('a', () => {
  it('runs', () => {});
  it.each([1, 2])('runs for %s', () => {});
  it.skipIf(process.platform === 'win32')('runs where it can', async () => {});
  it.skip('is skipped', () => {});
  it.todo('is planned');
  const title = "it('is only text', () => {})";
});
describe.skip('b', () => {
  it('is below a skip', () => {});
});
// it('is a remark', () => {});
`;
const files = [
  { path: 'src/a.test.ts', text },
  { path: 'test/conformance/all.ts', text: "import { suite } from './used.ts';" },
  { path: 'test/conformance/used.ts', text: "export const suite = () => it('holds', () => {});" },
  { path: 'test/conformance/unused.ts', text: "export const suite = () => it('holds', () => {});" },
  { path: 'src/b.test.ts', text: "import { all } from '../test/conformance/all.ts';" },
];
const proven = (file: string, name: string) =>
  checkGuarantees([{ id: 'X1', promise: 'It holds.', tests: [{ file, name }] }], files);

describe('guarantees', () => {
  it('are each proven by tests that exist', () => {
    expect(checkGuarantees(GUARANTEES, [...readSources('src'), ...readSources('test')])).toEqual(
      [],
    );
    expect(GUARANTEES.length).toBeGreaterThan(10);
  });

  it('count tests that run, and only those', () => {
    expect([...testTitles({ path: 'a.test.ts', text })]).toEqual([
      'runs',
      'runs for %s',
      'runs where it can',
    ]);
  });

  it('accept a test, and a suite that some test calls', () => {
    expect(proven('src/a.test.ts', 'runs')).toEqual([]);
    expect(proven('test/conformance/used.ts', 'holds')).toEqual([]);
  });

  it.each([
    ['a file that is gone', 'src/gone.test.ts', 'runs'],
    ['a test that is gone', 'src/a.test.ts', 'ran'],
    ['a skipped test', 'src/a.test.ts', 'is skipped'],
    ['a suite that nobody calls', 'test/conformance/unused.ts', 'holds'],
  ])('refuse %s', (_, file, name) => {
    expect(proven(file, name)).toHaveLength(1);
  });

  it('refuse a promise without a test, without words, or made twice', () => {
    const tests = [{ file: 'src/a.test.ts', name: 'runs' }];
    expect(checkGuarantees([{ id: 'X1', promise: 'It holds.', tests: [] }], files)).toEqual([
      'X1 has no test',
    ]);
    expect(checkGuarantees([{ id: 'X1', promise: ' ', tests }], files)).toEqual([
      'X1 promises nothing',
    ]);
    const twice = [
      { id: 'X1', promise: 'It holds.', tests },
      { id: 'X1', promise: 'It holds as well.', tests },
    ];
    expect(checkGuarantees(twice, files)).toEqual(['X1 is there twice']);
  });
});
