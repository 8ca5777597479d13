import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

const items = Array.from({ length: 5_000 }, (_, n) => ({
  id: n,
  name: `item ${n}`,
  price: n % 100,
}));
const prose = Array.from({ length: 3_000 }, (_, n) => `line ${n + 1} of the book`).join('\n');

let crib: Crib;
const handles = { items: '', prose: '', page: '' };

const longResult = async (kind: string): Promise<string> => {
  const { data } = await crib.execute('produce', { kind }, { userId: 'ada' });
  return (data as { handle: string }).handle;
};

beforeAll(async () => {
  const produced: Record<string, unknown> = { items: { items }, prose, page: { body: prose } };
  crib = await createCrib({
    store: 'memory',
    config: { filtering: { maxResultBytes: 10_000 } },
    tools: [
      aTool({ name: 'produce', run: ({ kind }: { kind: string }) => produced[kind] } as never),
    ],
  });
  for (const kind of ['items', 'prose', 'page'] as const) handles[kind] = await longResult(kind);
}, 30_000);

afterAll(() => crib.close());

const read = async (input: Record<string, unknown>, userId = 'ada') =>
  crib.execute('read_result', input, { userId });

const dataOf = async (input: Record<string, unknown>) => {
  const result = await read(input);
  expect(result.error).toBeUndefined();
  return result.data as Record<string, unknown>;
};

describe('read_result', () => {
  it('returns pages that together are the whole result', async () => {
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await dataOf({ handle: handles.prose, offset, limit: 7_000 });
      text += page.text as string;
      offset = page.nextOffset as number | undefined;
    }
    expect(text).toBe(prose);
  });

  it('returns a range of lines', async () => {
    const { text, total } = await dataOf({ handle: handles.prose, lines: { from: 10, count: 2 } });
    expect([text, total]).toEqual(['line 10 of the book\nline 11 of the book', 3_000]);
  });

  it('greps with lines around, and counts what it does not return', async () => {
    const asked = { handle: handles.prose, grep: '^LINE 1\\d\\d ', ignoreCase: true };
    const result = await dataOf({ ...asked, context: 1, maxMatches: 2 });
    expect(result.total).toBe(100);
    expect(result.matches).toEqual([
      {
        line: 100,
        text: 'line 100 of the book',
        before: ['line 99 of the book'],
        after: ['line 101 of the book'],
      },
      {
        line: 101,
        text: 'line 101 of the book',
        before: ['line 100 of the book'],
        after: ['line 102 of the book'],
      },
    ]);
  });

  it('lays data out for lines, and greps what a query selected', async () => {
    const { matches } = await dataOf({ handle: handles.items, grep: '"item 42"' });
    expect(matches).toEqual([{ line: expect.any(Number), text: '   "name": "item 42",' }]);
    const inBody = await dataOf({ handle: handles.page, query: 'body', grep: '^line 7 ' });
    expect(inBody.matches).toEqual([{ line: 7, text: 'line 7 of the book' }]);
  });

  it('queries data with JMESPath', async () => {
    const query = 'items[?price == `99`].{id: id} | [:2]';
    expect((await dataOf({ handle: handles.items, query })).value).toEqual([
      { id: 99 },
      { id: 199 },
    ]);
    expect((await dataOf({ handle: handles.items, query: 'length(items)' })).value).toBe(5_000);
    expect((await dataOf({ handle: handles.items, query: 'nothing.here' })).value).toBeNull();
  });

  it("answers NOT_FOUND for another user's handle and for a guessed one", async () => {
    const codes = await Promise.all([
      read({ handle: handles.prose }, 'eve'),
      read({ handle: `${handles.prose}x` }),
      read({ handle: '__proto__', query: '@' }),
    ]);
    expect(codes.map(({ error }) => error?.code)).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
  });

  it.each([
    ['a query of bad syntax', { query: 'items[?' }, 'VALIDATION_ERROR'],
    ['a query with a function that is not there', { query: 'exec(@)' }, 'VALIDATION_ERROR'],
    [
      'a query nested too deep',
      { query: `${'['.repeat(900)}@${']'.repeat(900)}` },
      'OUTPUT_TOO_LARGE',
    ],
    ['a pattern that is no RE2', { grep: '(a)\\1' }, 'VALIDATION_ERROR'],
    ['a field that is not there', { page: 1 }, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_name, part, code) => {
    expect((await read({ handle: handles.items, ...part })).error?.code).toBe(code);
  });

  it('formats: a query cannot double its way to a huge answer', async () => {
    const query = `items${' | [@, @]'.repeat(40)}`;
    expect((await read({ handle: handles.items, query })).error?.code).toBe('OUTPUT_TOO_LARGE');
  });

  it('formats: names of the prototype are not data', async () => {
    for (const query of ['constructor', '__proto__', 'items[0].toString', 'items[0].__proto__']) {
      expect((await dataOf({ handle: handles.items, query })).value).toBeNull();
    }
  });

  it('formats: a pattern that would backtrack for ever ends', async () => {
    const { total } = await dataOf({ handle: handles.prose, grep: '^(.+)+$' });
    expect(total).toBe(3_000);
    expect((await dataOf({ handle: handles.prose, grep: '(l+)+x' })).total).toBe(0);
  });

  it('refuses to query plain text, and suggests grep', async () => {
    const { error } = await read({ handle: handles.prose, query: '@' });
    expect([error?.code, error?.suggestions[0]]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining('grep'),
    ]);
  });
});
