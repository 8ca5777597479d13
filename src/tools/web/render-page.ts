/**
 * Runs the scripts of a page in Chromium and returns the document they made. The browser has no network
 * of its own: each request is made by the guarded fetch of the call or not at all.
 */
import { tmpdir } from 'node:os';
import type { Browser, BrowserContext, BrowserType, Page, Request, Route } from 'playwright-core';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { type BrowserLocation, findBrowser } from '../../kit/file/find-browser.ts';
import { readBytes } from '../../kit/http/read-reply.ts';
import type { FetchedPage } from './fetch-page.ts';

export interface RenderRequest {
  readonly page: FetchedPage;
  readonly waitFor: number;
  /** The limit of all that the page loads. */
  readonly maxBytes: number;
}

const MAX_REQUESTS = 200;
const LOAD_MS = 30_000;
/** Resources that add no text to a page. */
const NOT_LOADED: ReadonlySet<string> = new Set(['image', 'media', 'font', 'ping', 'websocket']);
/** Headers that are left out: they describe the compressed body, or keep state. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'set-cookie',
]);

const missing = (what: string, install: string): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', `Rendering needs ${what}, which is not installed.`, {
    suggestions: [`Install it: ${install}`, 'Or read the page without render.'],
  });

/** A second barrier, should a request escape interception: no name resolves and the proxy leads nowhere. */
const ARGS: readonly string[] = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-pings',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-gpu',
  '--disable-dev-shm-usage',
];

const NOWHERE = { server: 'http://127.0.0.1:9', bypass: '<-loopback>' };

const loadChromium = async (): Promise<BrowserType> => {
  try {
    return (await import('playwright-core')).chromium;
  } catch {
    throw missing('the package playwright-core', 'npm install playwright-core');
  }
};

const launch = async (location: BrowserLocation): Promise<Browser> => {
  const chromium = await loadChromium();
  const executablePath = await findBrowser(location, chromium.executablePath());
  if (executablePath === undefined) {
    throw missing('Chromium', 'apt-get install chromium, or npx playwright-core install chromium');
  }
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath,
    args: [...ARGS],
    proxy: NOWHERE,
    // The sandbox of Chromium does not start as root; for other users it stays on.
    chromiumSandbox: !isRoot,
    env: { HOME: tmpdir() },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
};

/** Tells whether a request loads another document in place of the page, or in a new window. */
const isLeaving = (request: Request): boolean => {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    // A window that has just opened has no frame yet.
    return true;
  }
};

/** Answers the requests of a page, within limits for the whole page. */
class Loader {
  readonly #request: RenderRequest;
  readonly #context: ToolContext;
  #count = 0;
  #bytesLeft: number;

  constructor(request: RenderRequest, context: ToolContext) {
    this.#request = request;
    this.#context = context;
    this.#bytesLeft = request.maxBytes;
  }

  async answer(route: Route): Promise<void> {
    const request = route.request();
    const { page } = this.#request;
    if (request.isNavigationRequest() && request.url() === page.url && this.#count === 0) {
      this.#count++;
      await route.fulfill({ contentType: 'text/html; charset=utf-8', body: page.text });
      return;
    }
    if (isLeaving(request)) {
      this.#context.warn('The page tried to lead elsewhere in the browser; that was not followed.');
      // Unlike a blocked request, an aborted one leaves the current page as it is.
      await route.abort('aborted');
      return;
    }
    const reads = request.method() === 'GET' && !NOT_LOADED.has(request.resourceType());
    if (!reads || ++this.#count > MAX_REQUESTS || !/^https?:/.test(request.url())) {
      await route.abort('blockedbyclient');
      return;
    }
    await this.#pass(route);
  }

  async #pass(route: Route): Promise<void> {
    const request = route.request();
    try {
      const headers = { accept: '*/*', 'user-agent': 'toolcrib' };
      const response = await this.#context.fetch(request.url(), { headers });
      const bytes = await readBytes(response, this.#bytesLeft);
      this.#bytesLeft -= bytes.length;
      await route.fulfill({
        status: response.status,
        headers: Object.fromEntries(
          [...response.headers].filter(([name]) => !NOT_PASSED.has(name)),
        ),
        body: Buffer.from(bytes),
      });
    } catch {
      // Refused by the guard, too large or unreachable: the page is rendered without it.
      await route.abort('blockedbyclient');
    }
  }
}

/** Removes what could bypass interception, before any script of the page runs. */
const CLOSED = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport',
  'RTCDataChannel', 'SharedWorker', 'Worker']) { delete globalThis[name]; }`;

const closedContext = async (browser: Browser, loader: Loader): Promise<BrowserContext> => {
  const context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    javaScriptEnabled: true,
    permissions: [],
  });
  await context.addInitScript(CLOSED);
  await context.route('**/*', (route) => loader.answer(route).catch(() => undefined));
  await context.routeWebSocket(/.*/, (socket) => socket.close());
  return context;
};

const load = async (page: Page, { page: { url }, waitFor }: RenderRequest): Promise<string> => {
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  page.on('popup', (popup) => void popup.close().catch(() => undefined));
  try {
    await page.goto(url, { waitUntil: 'load', timeout: LOAD_MS });
    await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined);
    if (waitFor > 0) await page.waitForTimeout(waitFor);
    return await page.content();
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new ToolFailure('TIMEOUT', 'The page did not finish loading in the browser.');
    }
    throw new ToolFailure('EXECUTION_FAILED', 'The browser could not load the page.');
  }
};

/** Renders a page and ends the browser. Fails with DEPENDENCY_MISSING where there is none. */
export const renderPage = async (
  request: RenderRequest,
  context: ToolContext,
  location: BrowserLocation,
): Promise<string> => {
  const browser = await launch(location);
  const stop = (): void => void browser.close().catch(() => undefined);
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    if (context.signal.aborted) throw new ToolFailure('CANCELLED');
    const loader = new Loader(request, context);
    const window = await closedContext(browser, loader);
    return await load(await window.newPage(), request);
  } finally {
    context.signal.removeEventListener('abort', stop);
    await browser.close().catch(() => undefined);
  }
};
