/** web_scrape without a browser, through a whole crib, against a real server on this machine. */
import { afterEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import { exampleAt, runThrough, vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import {
  type Answer,
  openVendor,
  TOO_MANY,
  type VendorSite,
} from '../../../test/fixtures/vendors/vendor-site.ts';
import { defineWebScrape } from './web-scrape.ts';

const webScrape = defineWebScrape();

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const page = (body: unknown): Answer => ({ headers: HTML, body });
const LAMP = page(
  '<title> A\n lamp</title><h1>A lamp</h1><script>let x = "no"</script><p>It <b>shines</b>.</p>',
);

const setUp = async (pages: Readonly<Record<string, Answer>> = {}) => {
  const site: VendorSite = await openVendor(({ path }) =>
    Object.hasOwn(pages, path) ? (pages[path] as Answer) : { status: 404, body: 'none' },
  );
  const crib = await vendorCrib(webScrape);
  open.push(crib, site);
  const scrape = (path: string, more: object = {}) =>
    crib.execute('web_scrape', { url: `${site.url}${path}`, ...more });
  const contentOf = async (path: string, more?: object) =>
    ((await scrape(path, more)).data as { content: string }).content;
  return { site, crib, scrape, contentOf };
};

describe('web_scrape', () => {
  it.each(titlesOf(webScrape))('example: %s', async (title) => {
    const { site, crib } = await setUp({ '/lamp': LAMP });
    const { input, output } = exampleAt(webScrape, title, ['https://example.com', site.url]);
    expect((await crib.execute('web_scrape', input)).data).toMatchObject(output as object);
  });

  it('gives title, metadata and absolute links', async () => {
    const { site, scrape } = await setUp({
      '/a/b': page(`<html lang="en-GB"><head><title>T</title><base href="/base/">
        <meta name="Description" content="what it is"><meta property="og:title" content="O">
        <link rel="canonical" href="https://example.com/c"></head><body>
        <a href="x?y#z">first  link</a><a href="x?y#z">again</a><a href="javascript:alert(1)">no</a>
        <a href="https://other.example/">other</a><a href="mailto:a@b.c">mail</a><a href="">none</a>`),
    });
    expect((await scrape('/a/b')).data).toMatchObject({
      title: 'T',
      description: 'what it is',
      language: 'en-GB',
      metadata: { description: 'what it is', 'og:title': 'O', canonical: 'https://example.com/c' },
      links: [
        { href: `${site.url}/base/x?y#z`, text: 'first link' },
        { href: 'https://other.example/', text: 'other' },
        { href: 'mailto:a@b.c', text: 'mail' },
      ],
    });
    expect((await scrape('/a/b', { maxLinks: 1 })).data).toMatchObject({ links: [{}] });
  });

  it('writes Markdown', async () => {
    const { contentOf, site } = await setUp({
      '/': page(`<body><h2>Head <i>two</i></h2><p>One<br>two &amp; <code>three</code> <a href="/l">li
        nk</a></p><ul><li>a<li>b<ol><li>c</li><li>d</li></ol></ul><pre>  x\n    y</pre><hr>
        <table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table>`),
    });
    expect(await contentOf('/')).toBe(
      [
        '## Head _two_',
        '',
        'One',
        `two & \`three\` [li nk](${site.url}/l)`,
        '',
        '- a',
        '- b',
        '  1. c',
        '  2. d',
        '',
        '```',
        '  x',
        '    y',
        '```',
        '',
        '---',
        '',
        'h | i',
        '1 | 2',
      ].join('\n'),
    );
    expect(await contentOf('/', { format: 'text', selector: 'h2, li' })).toContain('Head two');
    expect(await contentOf('/', { format: 'html', selector: 'td' })).toBe('<td>1</td>\n<td>2</td>');
  });

  it('says when a selector finds nothing', async () => {
    const { scrape } = await setUp({ '/': LAMP });
    const { data, warnings } = await scrape('/', { selector: '.none' });
    expect(data).toMatchObject({ matches: 0, content: '' });
    expect(warnings).toEqual(['The selector found nothing on the page.']);
  });

  it.each([
    [
      'header',
      { 'content-type': 'text/html; charset=iso-8859-1' },
      Buffer.from('<p>\xe9', 'latin1'),
    ],
    [
      'meta tag',
      { 'content-type': 'text/html' },
      Buffer.from('<meta charset="latin1"><p>\xe9', 'latin1'),
    ],
    ['byte order mark', { 'content-type': 'text/html' }, Buffer.from('\ufeff<p>é', 'utf16le')],
    ['nothing', {}, Buffer.from('<p>é')],
  ])('knows the charset by %s', async (_by, headers, body) => {
    const { contentOf } = await setUp({ '/': { headers, body } });
    expect(await contentOf('/')).toBe('é');
  });

  it('returns other text unchanged and refuses what is no text', async () => {
    const { scrape } = await setUp({
      '/t': { headers: { 'content-type': 'text/plain' }, body: '<b>x' },
      '/p': { headers: { 'content-type': 'image/png' }, body: 'x' },
    });
    expect((await scrape('/t')).data).toMatchObject({ content: '<b>x', title: '' });
    expect((await scrape('/p')).error?.code).toBe('EXECUTION_FAILED');
  });

  it('maps statuses, waits for Retry-After, stops at the size limit', async () => {
    const { crib, site, scrape } = await setUp({ '/': LAMP, '/big': page('x'.repeat(3000)) });
    expect((await scrape('/none')).error?.code).toBe('NOT_FOUND');
    expect((await scrape('/big', { maxBytes: 2000 })).error?.code).toBe('OUTPUT_TOO_LARGE');
    site.trouble.push({ status: 404 }, TOO_MANY);
    const result = await runThrough(crib, ['web_scrape', { url: `${site.url}/` }]);
    expect(result.data).toMatchObject({ title: 'A lamp' });
    expect(result.waitedMs).toBeGreaterThanOrEqual(7000);
    site.trouble.push({ status: 404 }, { status: 401 });
    expect((await scrape('/')).error?.code).toBe('PERMISSION_DENIED');
  });

  it.each([
    ['url', { url: 'file:///etc/passwd' }],
    ['selector', { url: 'https://example.com', selector: '' }],
    ['waitFor', { url: 'https://example.com', waitFor: -1 }],
  ])('refuses a bad %s', async (field, input) => {
    const { crib } = await setUp();
    const { error } = await crib.execute('web_scrape', input);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: [field] }] });
  });

  it('refuses an invalid selector', async () => {
    const { scrape } = await setUp({ '/': LAMP });
    const { error } = await scrape('/', { selector: 'p[' });
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: ['selector'] }] });
  });
});

describe('web_scrape and robots.txt', () => {
  const robots = (body: string): Record<string, Answer> => ({
    '/robots.txt': { body },
    '/a': LAMP,
  });

  it('reads what the site allows, and on demand what it does not', async () => {
    const { scrape, site } = await setUp(robots('User-agent: *\nDisallow: /a'));
    expect((await scrape('/a')).error?.code).toBe('PERMISSION_DENIED');
    expect(site.arrived.map(({ path }) => path)).toEqual(['/robots.txt']);
    expect((await scrape('/a', { respectRobots: false })).success).toBe(true);
  });

  it('reads nothing from a site whose robots.txt fails', async () => {
    const { scrape } = await setUp({ '/robots.txt': { status: 500 }, '/a': LAMP });
    expect((await scrape('/a')).error?.code).toBe('PERMISSION_DENIED');
  });

  it('also reads the robots.txt of the site that a redirect leads to', async () => {
    const other = await setUp(robots('User-agent: toolcrib\nDisallow: /'));
    const moved = { status: 302, headers: { location: `${other.site.url}/a` } };
    const { scrape } = await setUp({ '/r': moved });
    expect((await scrape('/r')).error?.code).toBe('PERMISSION_DENIED');
  });
});

describe('threat: a hostile page', () => {
  it('hostile: text that no person sees is left out', async () => {
    const { contentOf } = await setUp({
      '/': page(`<p>seen</p><p hidden>EVIL</p><p style="display: none">EVIL</p><!-- EVIL -->
        <div aria-hidden="true">EVIL</div><p style="font-size:0">EVIL</p><template>EVIL</template>
        <p style="opacity:0;">EVIL</p><noscript>EVIL</noscript><svg><text>EVIL</text></svg>`),
    });
    expect(await contentOf('/')).toBe('seen');
  });

  it.each([
    ['deep nesting', '<div>'.repeat(100_000)],
    ['deep nesting that closes otherwise', `${'<b>'.repeat(50_000)}${'</i>'.repeat(50_000)}`],
    ['many formatting elements', '<a><b><p>'.repeat(20_000)],
  ])(
    'hostile: %s ends in bounded time with a code',
    async (_what, body) => {
      const { scrape } = await setUp({ '/': page(body) });
      const begun = performance.now();
      const { error, success } = await scrape('/');
      expect(performance.now() - begun).toBeLessThan(10_000);
      if (!success) expect(error?.code).toBe('EXECUTION_FAILED');
    },
    20_000,
  );

  it('hostile: a selector that never ends is stopped', async () => {
    const { scrape } = await setUp({ '/': page('<p></p>'.repeat(30_000)) });
    const selector = 'i ~ p ~ p ~ p ~ p';
    const { error } = await scrape('/', { selector });
    expect(error).toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringContaining('longer than'),
    });
  }, 20_000);

  it('hostile: names of metadata do not reach a prototype', async () => {
    const { scrape } = await setUp({
      '/': page('<meta name="__proto__" content="x"><meta name="constructor" content="y">'),
    });
    const { data } = await scrape('/');
    expect(Object.getPrototypeOf((data as { metadata: object }).metadata)).toBe(Object.prototype);
  });

  it('hostile: a private address is not read', async () => {
    const { crib } = await setUp();
    const { error } = await crib.execute('web_scrape', { url: 'http://169.254.169.254/' });
    expect(error?.type).toBe('security');
  });
});
