/** Reads the content of a page: title, metadata, links, text, and the elements that a selector names. */
import type { CheerioAPI } from 'cheerio';
import { ToolFailure } from '../../contract/errors.ts';
import { type PageNode, pageText } from './page-text.ts';

export interface PageQuestion {
  readonly selector?: string | undefined;
  readonly format: 'markdown' | 'text' | 'html';
  readonly maxLinks: number;
}

export interface PageJob {
  readonly html: string;
  readonly url: string;
  readonly request: PageQuestion;
}

export interface PageContent {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly metadata: Record<string, string>;
  readonly links: { readonly text: string; readonly href: string }[];
  readonly content: string;
  /** How many elements the selector found; 1 without a selector. */
  readonly matches: number;
}

const MAX_META = 200;
const words = (text: string, maxLength: number): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, maxLength);

/** Resolves links, without `javascript:` and `data:`. */
const linkFrom =
  (base: string) =>
  (href: string): string | undefined => {
    if (href.trim() === '' || !URL.canParse(href, base)) return undefined;
    const url = new URL(href, base);
    return /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
  };

const metadataOf = ($: CheerioAPI): Record<string, string> => {
  const metadata = new Map<string, string>();
  for (const element of $('meta[name], meta[property]').slice(0, MAX_META)) {
    const { name, property, content } = element.attribs;
    const key = words(name ?? property ?? '', 100).toLowerCase();
    if (key !== '' && content !== undefined && !metadata.has(key))
      metadata.set(key, words(content, 1000));
  }
  const canonical = $('link[rel="canonical"]').attr('href');
  if (canonical !== undefined) metadata.set('canonical', canonical.slice(0, 2000));
  return Object.fromEntries(metadata);
};

type Link = (href: string) => string | undefined;

const linksOf = ($: CheerioAPI, link: Link, maxLinks: number): PageContent['links'] => {
  const links = new Map<string, string>();
  for (const element of $('a[href]')) {
    if (links.size >= maxLinks) break;
    const href = link(element.attribs.href ?? '');
    if (href !== undefined && !links.has(href)) links.set(href, words($(element).text(), 200));
  }
  return [...links].map(([href, text]) => ({ href, text }));
};

const invalidSelector = (): ToolFailure => {
  const message = 'This is no CSS selector that can be used.';
  return new ToolFailure('VALIDATION_ERROR', message, {
    issues: [{ path: ['selector'], message }],
  });
};

const select = ($: CheerioAPI, selector: string | undefined): PageNode[] => {
  if (selector === undefined) return $.root().toArray();
  try {
    return $(selector).toArray();
  } catch (error) {
    // Only complaints of the parser: timeouts and exhausted stacks are errors of another kind.
    if (error instanceof Error && !(error instanceof RangeError)) throw invalidSelector();
    throw error;
  }
};

const read = ($: CheerioAPI, url: string, request: PageQuestion): PageContent => {
  const base = $('base[href]').attr('href') ?? '';
  const link = linkFrom(URL.canParse(base, url) ? new URL(base, url).href : url);
  const nodes = select($, request.selector);
  const metadata = metadataOf($);
  const content =
    request.format === 'html'
      ? nodes.map((node) => $.html(node)).join('\n')
      : pageText(nodes, { markdown: request.format === 'markdown', link, numbers: new WeakMap() });
  return {
    title: words($('title').first().text(), 500) || (metadata['og:title'] ?? ''),
    description: metadata.description ?? metadata['og:description'] ?? '',
    language: words($('html').attr('lang') ?? '', 35),
    metadata,
    links: linksOf($, link, request.maxLinks),
    content,
    matches: nodes.length,
  };
};

/** Reads a page. Throws a RangeError for one that is nested too deeply. */
export const readPage = (
  load: (html: string) => CheerioAPI,
  { html, url, request }: PageJob,
): PageContent => read(load(html), url, request);
