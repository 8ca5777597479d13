/** `web_scrape`: returns one web page as text, links and metadata; with a real browser on request. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import type { BrowserLocation } from '../../kit/file/find-browser.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import { type FetchedPage, fetchPage } from './fetch-page.ts';
import type { PageContent, PageJob } from './read-page.ts';

const input = () =>
  z.strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(8192)
      .describe('The page, http or https.'),
    selector: z.string().min(1).max(500).optional().describe('CSS selector: only these parts.'),
    format: z
      .enum(['markdown', 'text', 'html'])
      .default('markdown')
      .describe('How the content is given.'),
    render: z
      .boolean()
      .default(false)
      .describe('Run the scripts of the page in a browser first. Slower; for pages empty without.'),
    waitFor: z
      .int()
      .min(0)
      .max(20_000)
      .default(0)
      .describe('With render: milliseconds to wait after the page has loaded.'),
    respectRobots: z.boolean().default(true).describe('Follow the robots.txt of the site.'),
    maxBytes: z.int().min(1000).max(20_000_000).default(5_000_000).describe('The largest page.'),
    maxLinks: z.int().min(0).max(5000).default(200).describe('How many links at most.'),
  });

const output = () =>
  z.strictObject({
    url: z.string().describe('The page that answered, after redirects.'),
    status: z.int().describe('Its status.'),
    title: z.string().describe('Its title.'),
    description: z.string().describe('Its description, where it has one.'),
    language: z.string().describe('Its language, as it says itself.'),
    content: z.string().describe('Its content, or the parts selected.'),
    matches: z.int().describe('How many parts the selector found.'),
    links: z
      .array(z.strictObject({ text: z.string(), href: z.string() }))
      .describe('Where it leads, each address once.'),
    metadata: z.record(z.string(), z.string()).describe('Meta tags by name.'),
    rendered: z.boolean().describe('Whether a browser ran its scripts.'),
    bytes: z.int().describe('The size of the page as it was sent.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const isMarkup = ({ contentType }: FetchedPage): boolean =>
  contentType === '' || /html|xml/i.test(contentType);

const plain = ({ url, status, text, bytes }: FetchedPage): Output => ({
  url,
  status,
  title: '',
  description: '',
  language: '',
  content: text,
  matches: 1,
  links: [],
  metadata: {},
  rendered: false,
  bytes,
});

const MAX_INLINE_CHARS = 20_000;

const WORK = {
  what: 'page',
  maxMs: 8000,
  code: 'EXECUTION_FAILED',
  file: 'read-page-work',
  from: import.meta.url,
  load: () => import('./read-page-work.ts'),
  isSmall: ({ html }: PageJob) => html.length <= MAX_INLINE_CHARS,
} as const;

const scrape = async (
  request: Input,
  context: ToolContext,
  location: BrowserLocation,
): Promise<Output> => {
  const page = await fetchPage(request, context);
  if (!isMarkup(page)) return plain(page);
  const { url, status, bytes } = page;
  const { render, waitFor } = request;
  let html = page.text;
  if (render) {
    const { renderPage } = await import('./render-page.ts');
    html = await renderPage({ page, waitFor, maxBytes: request.maxBytes }, context, location);
  }
  const { selector, format, maxLinks } = request;
  const job = { html, url, request: { selector, format, maxLinks } };
  const content = await runDataWork<PageJob, PageContent>(WORK, job, context.signal);
  if (content.matches === 0) context.warn('The selector found nothing on the page.');
  return { url, status, ...content, rendered: render, bytes };
};

/** Defines the tool. `location` says where to find a browser. */
export const defineWebScrape = (location: BrowserLocation = {}): Tool<Input, Output> =>
  defineTool({
    name: 'web_scrape',
    description:
      'Reads one web page: title, text as Markdown, links and metadata, or the parts a CSS selector names. With render a browser runs its scripts first.',
    documentation:
      'robots.txt of the site is honoured unless respectRobots is false. render needs Chromium or Chrome on this machine and the package playwright-core; every request of the browser goes through the same guard as all others.',
    source: 'builtin',
    category: 'search',
    tier: 'external_api',
    idempotent: true,
    capabilities: [{ action: 'scrape', description: 'Read a page of the public web.' }],
    permissions: ['tool:web_scrape'],
    needs: { hosts: ['*'] },
    labels: { trust: 'untrusted', sensitivity: 'public' },
    cost: { model: 'free' },
    timeoutMs: 90_000,
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 500 },
    concurrency: { limit: 4, queue: 100 },
    aliases: ['web:scrape'],
    tags: ['web', 'page', 'html', 'scrape', 'browser', 'read'],
    examples: [
      {
        title: 'Read a page',
        input: { url: 'https://example.com/lamp' },
        output: { title: 'A lamp', content: '# A lamp\n\nIt **shines**.', rendered: false },
      },
      {
        title: 'Read one part of it',
        input: { url: 'https://example.com/lamp', selector: 'p', format: 'text' },
        output: { content: 'It shines.', matches: 1 },
      },
    ],
    input,
    output,
    run: (request, context) => scrape(request, context, location),
  });
