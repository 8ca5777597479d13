/** web_search through a whole crib, against servers that check the protocols of both providers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { BRAVE_KEY, openBrave, openSearxng } from '../../../test/fixtures/vendors/search-server.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import { TOO_MANY, type VendorSite } from '../../../test/fixtures/vendors/vendor-site.ts';
import { braveSearch, searxngSearch } from './search-provider.ts';
import { defineWebSearch } from './web-search.ts';

const webSearch = defineWebSearch();

const NAME = 'web_search';
let site: VendorSite;
let crib: TestCrib;
const cribWith = (key?: string) =>
  vendorCrib(
    defineWebSearch(braveSearch(site.url)),
    key === undefined ? {} : { keys: { BRAVE_API_KEY: key } },
  );

beforeEach(async () => {
  site = await openBrave();
  crib = await cribWith(BRAVE_KEY);
});
afterEach(async () => {
  await crib.close();
  await site.close();
});

describe('web_search with Brave', () => {
  it.each(titlesOf(webSearch))('example: %s', async (title) => {
    const { input, output } = exampleAt(webSearch, title, ['', '']);
    expect((await crib.execute(NAME, input)).data).toMatchObject(output as object);
  });

  it('returns plain text, pages only, and charges its price', async () => {
    const { data, metadata } = await crib.execute(NAME, { query: 'lamp', count: 2 });
    expect(data).toEqual({
      results: [
        {
          title: 'Lamps & more',
          url: 'https://lamps.example/',
          snippet: 'All lamps.',
          published: '2026-01-10T00:00:00',
        },
        {
          title: 'Nails',
          url: 'https://nails.example/',
          snippet: "It's nails.",
          published: '2026-01-10T00:00:00',
        },
      ],
      provider: 'Brave Search',
    });
    expect([metadata.cost, metadata.labels.trust]).toEqual([0.005, 'untrusted']);
  });

  it('sends every field of the input', async () => {
    await crib.execute(NAME, {
      query: 'a b&c',
      page: 2,
      language: 'de',
      freshness: 'week',
      safe: 'strict',
    });
    expect(Object.fromEntries(site.arrived[0]?.query ?? [])).toEqual({
      q: 'a b&c',
      count: '10',
      offset: '1',
      search_lang: 'de',
      freshness: 'pw',
      safesearch: 'strict',
      text_decorations: 'false',
    });
  });

  it('returns no results, or EXECUTION_FAILED for an answer that does not fit', async () => {
    expect((await crib.execute(NAME, { query: 'nothing' })).data).toMatchObject({ results: [] });
    site.trouble.push({ body: { web: { results: [{}] } } });
    expect((await crib.execute(NAME, { query: 'odd' })).error?.code).toBe('EXECUTION_FAILED');
  });

  it('waits for Retry-After', async () => {
    site.trouble.push(TOO_MANY);
    const result = await runThrough(crib, [NAME, { query: 'x' }]);
    expect([result.success, result.waitedMs >= 7000]).toEqual([true, true]);
  });

  it.each([
    ['query', { query: '  ' }],
    ['count', { query: 'x', count: 21 }],
    ['language', { query: 'x', language: 'klingon!' }],
  ])('refuses a bad %s', async (field, input) => {
    const { error } = await crib.execute(NAME, input);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: [field] }] });
  });

  it('needs a key, and shows it nowhere', async () => {
    const poor = await cribWith();
    const { error } = await poor.execute(NAME, { query: 'x' });
    expect(error?.code).toBe('AUTH_MISSING');
    expect(error?.suggestions.join()).toContain('https://api-dashboard.search.brave.com/app/keys');
    const wrong = await cribWith('wrong-token-0123456789');
    const refused = await wrong.execute(NAME, { query: 'x' });
    expect(refused.error?.message).toContain('subscription token is invalid');
    expect(JSON.stringify(refused) + (await trailOf(wrong))).not.toContain(
      'wrong-token-0123456789',
    );
    for (const each of [poor, wrong]) await each.close();
  });
});

describe('web_search with SearXNG', () => {
  it('needs no key and gives the same form', async () => {
    const other = await openSearxng();
    const own = await vendorCrib(defineWebSearch(searxngSearch(other.url)));
    const input = { query: 'lamp', page: 3, freshness: 'day', safe: 'off' };
    expect((await own.execute(NAME, input)).data).toMatchObject({
      provider: 'SearXNG',
      results: [
        { title: 'Lamps & more', snippet: 'All lamps.' },
        {},
        { title: 'Rope', snippet: '' },
      ],
    });
    expect(Object.fromEntries(other.arrived[0]?.query ?? [])).toEqual({
      q: 'lamp',
      format: 'json',
      pageno: '3',
      time_range: 'day',
      safesearch: '0',
    });
    await own.close();
    await other.close();
  });
});
