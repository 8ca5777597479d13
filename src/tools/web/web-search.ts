/** `web_search`: searches the web; results have one form for all search services. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { authOf, isRefusal, vendorData } from '../vendor-reply.ts';
import { braveSearch, type SearchHit, type SearchProvider } from './search-provider.ts';

const input = () =>
  z.strictObject({
    query: z.string().trim().min(1).max(400).describe('What to look for.'),
    count: z.int().min(1).max(20).default(10).describe('How many results at most.'),
    page: z.int().min(1).max(10).default(1).describe('Which page of results.'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, 'A language code such as en.')
      .optional()
      .describe('Language of the results, e.g. en.'),
    freshness: z
      .enum(['day', 'week', 'month', 'year'])
      .optional()
      .describe('Only what is not older than this.'),
    safe: z.enum(['off', 'moderate', 'strict']).default('moderate').describe('What is left out.'),
  });

const output = () =>
  z.strictObject({
    results: z
      .array(
        z.strictObject({
          title: z.string(),
          url: z.string(),
          snippet: z.string(),
          published: z.string().optional(),
        }),
      )
      .describe('What was found, best first.'),
    provider: z.string().describe('Who searched.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  nbsp: ' ',
};

/** Removes the markup that services put around matching words. */
const plainText = (text: string, maxLength: number): string =>
  text
    .replace(/<\/?(?:strong|b|em|i|mark)>/gi, '')
    .replace(
      /&(amp|lt|gt|quot|apos|#39|#x27|nbsp);/g,
      (_whole, name: string) => ENTITIES[name] ?? '',
    )
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength);

const normal = ({ title, url, snippet, published }: SearchHit): Output['results'][number] => ({
  title: plainText(title, 300),
  url,
  snippet: plainText(snippet, 1000),
  ...(published !== undefined && { published: published.slice(0, 40) }),
});

const isPage = ({ url }: SearchHit): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const search = async (
  request: Input,
  context: ToolContext,
  { vendor, keyHeader, address, read }: SearchProvider,
): Promise<Output> => {
  const headers = new Headers({ accept: 'application/json' });
  if (keyHeader !== undefined) headers.set(keyHeader, await context.secret(vendor.secret));
  const response = await context.fetch(address(request), { headers, redirect: 'error' });
  if (isRefusal(response)) context.charge({ cost: 0 });
  const shape = { safeParse: (body: unknown) => ({ success: true, data: read(body) }) };
  const hits = (await vendorData(response, vendor, shape)) ?? [];
  return {
    results: hits.filter(isPage).slice(0, request.count).map(normal),
    provider: vendor.name,
  };
};

/** Defines the tool. `provider` is the search service; Brave Search by default. */
export const defineWebSearch = (provider: SearchProvider = braveSearch()): Tool<Input, Output> =>
  defineTool({
    name: 'web_search',
    description:
      'Searches the web for current information. Returns titles, addresses and snippets.',
    documentation:
      'Brave Search needs a key. A SearXNG instance of your own needs none: set services.search.provider and services.search.baseUrl in your configuration, and let the instance give json.',
    source: 'builtin',
    category: 'search',
    tier: 'external_api',
    idempotent: true,
    capabilities: [
      {
        action: 'search',
        description: 'Search the web.',
        estimatedCost: provider.price,
        estimatedTime: 1000,
      },
    ],
    ...(provider.keyHeader !== undefined && { auth: authOf(provider.vendor, 'api_key') }),
    permissions: ['tool:web_search'],
    needs: { hosts: [provider.base.host] },
    labels: { trust: 'untrusted', sensitivity: 'public' },
    cost: provider.price > 0 ? { model: 'usage_based', fixed: provider.price } : { model: 'free' },
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 500 },
    cache: { ttlMs: 300_000, tags: ['web'] },
    server: provider.vendor.name.toLowerCase().replaceAll(' ', '-'),
    aliases: ['brave_search', 'web:search'],
    tags: ['web', 'search', 'internet', 'news'],
    examples: [
      {
        title: 'Search for something',
        input: { query: 'reading lamp', count: 2 },
        output: { results: [{ title: 'Lamps & more', url: 'https://lamps.example/' }, {}] },
      },
    ],
    input,
    output,
    run: (request, context) => search(request, context, provider),
  });
