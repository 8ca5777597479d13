/** web_scrape with a real Chromium: what scripts make of a page, and that nothing passes the guard. */
import { createSocket } from 'node:dgram';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSite, openSite } from '../../../test/fixtures/local-site.ts';
import { vendorCrib } from '../../../test/fixtures/vendors/vendor-crib.ts';
import {
  type Answer,
  openVendor,
  type VendorSite,
} from '../../../test/fixtures/vendors/vendor-site.ts';
import { findBrowser } from '../../kit/file/find-browser.ts';
import { defineWebScrape } from './web-scrape.ts';

const webScrape = defineWebScrape();

const browser = await findBrowser({}, '');
if (browser === undefined)
  console.warn('Skipped: Chromium is not installed (Debian: apt-get install chromium).');

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const setUp = async (pages: Readonly<Record<string, Answer>>, tool = webScrape) => {
  const site: VendorSite = await openVendor(({ path }) =>
    Object.hasOwn(pages, path) ? (pages[path] as Answer) : { status: 404, body: 'none' },
  );
  const crib = await vendorCrib(tool);
  open.push(crib, site);
  const render = (path: string, more: object = {}) =>
    crib.execute('web_scrape', { url: `${site.url}${path}`, render: true, ...more });
  return { site, render };
};

const page = (script: string): Answer => ({
  headers: HTML,
  body: `<title>t</title><p id="out">before</p><script type="module">
    const say = (text) => { document.querySelector('#out').textContent = text; };
    ${script}</script>`,
});

describe('web_scrape with render, without a browser,', () => {
  it('says what is missing and how to install it', async () => {
    const tool = defineWebScrape({ executablePath: '/nowhere/chromium' });
    const { render } = await setUp({ '/': page('') }, tool);
    const { error } = await render('/');
    expect(error).toMatchObject({
      code: 'DEPENDENCY_MISSING',
      suggestions: [expect.stringContaining('chromium'), expect.any(String)],
    });
  });
});

describe.skipIf(browser === undefined)('web_scrape with render and Chromium', () => {
  it('runs the scripts of the page, which load through the guard', async () => {
    const { render, site } = await setUp({
      '/': page(`const data = await (await fetch('/data')).json(); say('after ' + data.x);`),
      '/data': { body: { x: 7 } },
    });
    const { data, error } = await render('/', { selector: '#out' });
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ content: 'after 7', rendered: true, title: 't' });
    expect(site.arrived.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/data']);
  }, 60_000);

  it('waits for the time of waitFor', async () => {
    const { render } = await setUp({ '/': page(`setTimeout(() => say('late'), 700);`) });
    const { data } = await render('/', { selector: '#out', waitFor: 1500 });
    expect(data).toMatchObject({ content: 'late' });
  }, 60_000);
});

describe.skipIf(browser === undefined)('threat: a page in the browser that reaches out', () => {
  let canary: LocalSite;
  let packets = 0;
  const udp = createSocket('udp4').on('message', () => packets++);

  beforeAll(async () => {
    // On an address that the guard does not allow: whoever arrives here went past it.
    canary = await openSite(undefined, '127.0.0.2');
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.2', resolve));
  });
  afterAll(async () => {
    udp.close();
    await canary.close();
  });

  const attempts = (): readonly [string, string][] => {
    const at = `127.0.0.2:${canary.port}`;
    return [
      ['fetch', `await fetch('http://${at}/f', { mode: 'no-cors' }).catch(() => 0);`],
      ['POST', `await fetch('/post', { method: 'POST', body: 'x' }).catch(() => 0);`],
      ['an image', `new Image().src = 'http://${at}/i';`],
      ['a beacon', `navigator.sendBeacon('http://${at}/b', 'x');`],
      ['a socket', `try { new WebSocket('ws://${at}/w'); } catch {}`],
      [
        'a frame',
        `document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://${at}/r' }));`,
      ],
      [
        'a prefetch',
        `document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: 'http://${at}/p' }));`,
      ],
      [
        'a preconnect',
        `document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'http://${at}/' }));`,
      ],
      ['an event source', `new EventSource('http://${at}/e');`],
      ['a popup', `window.open('http://${at}/o');`],
      [
        'a download',
        `Object.assign(document.createElement('a'), { href: 'http://${at}/d', download: 'x' }).click();`,
      ],
      ['a redirect of its own', `location.href = 'http://${at}/l';`],
      ['a service worker', `await navigator.serviceWorker?.register('/sw.js').catch(() => 0);`],
      [
        'peer to peer',
        `if (globalThis.RTCPeerConnection) { const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.2:${udp.address().port}' }] }); c.createDataChannel('x'); await c.setLocalDescription(await c.createOffer()); }`,
      ],
      [
        'a frame with its own realm',
        `const f = document.createElement('iframe'); document.body.append(f); const R = f.contentWindow.RTCPeerConnection; if (R) { const c = new R({ iceServers: [{ urls: 'stun:127.0.0.2:${udp.address().port}' }] }); c.createDataChannel('x'); await c.setLocalDescription(await c.createOffer()); }`,
      ],
    ];
  };

  it('hostile: none of them arrives, and no page posts anything', async () => {
    const tries = attempts().map(([, code]) => `await (async () => { ${code} })().catch(() => 0);`);
    const { render, site } = await setUp({
      '/stay': page(`${tries.join('\n')} say('tried all');`),
      '/sw.js': { headers: { 'content-type': 'text/javascript' }, body: '' },
    });
    const stayed = await render('/stay', { waitFor: 1500, selector: '#out' });
    expect(stayed.data).toMatchObject({ content: 'tried all' });
    expect(stayed.warnings?.[0]).toContain('lead elsewhere');
    expect([canary.hits, canary.sockets(), packets]).toEqual([[], 0, 0]);
    expect(site.arrived.filter(({ method }) => method !== 'GET')).toEqual([]);
  }, 240_000);

  it('benign control: the same canary is reached where the guard allows it', async () => {
    const response = await fetch(`http://127.0.0.2:${canary.port}/control`);
    expect([response.status, canary.hits]).toEqual([200, ['GET /control']]);
  });
});
