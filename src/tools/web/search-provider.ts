/** The port to a web search service, and its two drivers: Brave Search and SearXNG. */
import { z } from 'zod';
import { lazy } from '../../kit/data/lazy.ts';
import { type BaseUrl, baseUrl } from '../base-url.ts';
import { textAt, type Vendor } from '../vendor-reply.ts';

export interface SearchQuestion {
  readonly query: string;
  readonly count: number;
  readonly page: number;
  readonly language?: string | undefined;
  readonly freshness?: 'day' | 'week' | 'month' | 'year' | undefined;
  readonly safe: 'off' | 'moderate' | 'strict';
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly published?: string;
}

export interface SearchProvider {
  readonly vendor: Vendor;
  readonly base: BaseUrl;
  /** The header of the key; absent for a service without keys. */
  readonly keyHeader?: string;
  /** US dollars for one search. */
  readonly price: number;
  address(question: SearchQuestion): URL;
  /** Reads the hits of an answer; `undefined` when it is not as documented. */
  read(body: unknown): readonly SearchHit[] | undefined;
}

const withQuery = (address: string, fields: Readonly<Record<string, string | undefined>>): URL => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
};

const brave = lazy(() =>
  z.object({
    web: z
      .object({
        results: z.array(
          z.object({
            title: z.string(),
            url: z.string(),
            description: z.string().nullish(),
            page_age: z.string().nullish(),
          }),
        ),
      })
      .nullish(),
  }),
);

const FRESH = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;

export const braveSearch = (address = 'https://api.search.brave.com'): SearchProvider => {
  const base = baseUrl(address);
  return {
    vendor: {
      name: 'Brave Search',
      secret: 'BRAVE_API_KEY',
      setupUrl: 'https://api-dashboard.search.brave.com/app/keys',
      explain: (body) => textAt(body, 'error', 'detail'),
    },
    base,
    keyHeader: 'x-subscription-token',
    price: 0.005,
    address: ({ query, count, page, language, freshness, safe }) =>
      withQuery(`${base.href}/res/v1/web/search`, {
        q: query,
        count: String(count),
        offset: String(page - 1),
        search_lang: language,
        freshness: freshness && FRESH[freshness],
        safesearch: safe,
        text_decorations: 'false',
      }),
    read: (body) => {
      const { data } = brave().safeParse(body);
      return (
        data?.web?.results.map(({ title, url, description, page_age: published }) => ({
          title,
          url,
          snippet: description ?? '',
          ...(published && { published }),
        })) ??
        (data && [])
      );
    },
  };
};

const searxng = lazy(() =>
  z.object({
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        content: z.string().nullish(),
        publishedDate: z.string().nullish(),
      }),
    ),
  }),
);

const SAFE = { off: '0', moderate: '1', strict: '2' } as const;

/**
 * Creates the driver of SearXNG. `address` is your own instance, which must have `json` among its
 * formats.
 */
export const searxngSearch = (address: string): SearchProvider => {
  const base = baseUrl(address);
  return {
    vendor: {
      name: 'SearXNG',
      secret: 'SEARXNG_URL',
      setupUrl: 'https://docs.searxng.org/admin/settings/settings_search.html',
      explain: () => undefined,
    },
    base,
    price: 0,
    address: ({ query, page, language, freshness, safe }) =>
      withQuery(`${base.href}/search`, {
        q: query,
        format: 'json',
        pageno: String(page),
        language,
        time_range: freshness,
        safesearch: SAFE[safe],
      }),
    read: (body) =>
      searxng()
        .safeParse(body)
        .data?.results.map(({ title, url, content, publishedDate }) => ({
          title,
          url,
          snippet: content ?? '',
          ...(publishedDate && { published: publishedDate }),
        })),
  };
};

/** The search service as the configuration names it; `baseUrl` is needed for searxng. */
export interface SearchChoice {
  readonly provider: 'brave' | 'searxng';
  readonly baseUrl?: string;
}

/** Creates the configured driver. Throws a TypeError for a SearXNG without an address. */
export const searchProviderFor = ({ provider, baseUrl: address }: SearchChoice): SearchProvider =>
  provider === 'searxng' ? searxngSearch(address ?? '') : braveSearch(address);
