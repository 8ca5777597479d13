import { describe, expect, it } from 'vitest';
import { bodyPager } from './next-page.ts';

const planOf = (types: Readonly<Record<string, string>>) => ({
  input: {
    properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
  },
  parameters: Object.keys(types).map((name) => ({
    field: name,
    parameter: { place: 'query', name } as never,
  })),
});
const URL_HERE = 'https://api.example.com/goods?cursor=one';
const nextOf = (types: Readonly<Record<string, string>>, body: unknown, url = URL_HERE) =>
  bodyPager(planOf(types))?.(body, url);

describe('the next page in the body of an answer', () => {
  it.each([
    [{ cursor: 'string' }, { next_cursor: 'two' }, { cursor: 'two' }],
    [{ cursor: 'string' }, { meta: { cursor: 'two' } }, { cursor: 'two' }],
    [{ pageToken: 'string' }, { nextPageToken: 'abc' }, { pageToken: 'abc' }],
    [{ page: 'integer' }, { pagination: { next_page: 3 } }, { page: 3 }],
    [{ page: 'integer' }, { next: '/goods?page=2' }, { page: 2 }],
  ])('is found for %j in %j', (types, body, next) => {
    expect(nextOf(types, body)).toEqual(next);
  });

  it.each([
    [{ cursor: 'string' }, { cursor: 'one' }, 'the cursor is the one that was sent'],
    [{ cursor: 'string' }, { next_cursor: null }, 'there is none'],
    [{ cursor: 'string' }, { next_cursor: 'two', has_more: false }, 'there is no more'],
    [{ page: 'integer' }, { page: 1 }, 'the page is the present one'],
    [{ page: 'integer' }, { next: 'https://evil.example/goods?page=2' }, 'it is elsewhere'],
    [{ cursor: 'string' }, { next_cursor: { a: 1 } }, 'it is no value'],
    [{ name: 'string' }, { next_name: 'x' }, 'no parameter pages'],
    [{ cursor: 'string' }, [1], 'the answer is a list'],
  ])('is not guessed for %j in %j: %s', (types, body, _why) => {
    expect(nextOf(types, body)).toBeUndefined();
  });
});
