/** The console in a real browser when things go wrong: sessions that end, answers that fail or come late. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, signIn } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

const REFUSAL = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'INTERNAL', message: 'The disk is gone.' } }),
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasBrowser())('the console when things go wrong', { timeout: SLOW }, () => {
  const house = useConsole();
  let made = 0;
  /** Each of its own kind: the same call over and over would be stopped. */
  const calls = async (many: number): Promise<void> => {
    for (const end = made + many; made < end; made++) {
      await house.server.crib.execute('calculator', { expression: `${made} + 1` }, AGENT);
    }
  };
  const home = (page: Page) => page.getByRole('heading', { name: 'Overview', level: 1 });
  /** As the server does it when the hours of a session are over, or another tab signs out. */
  const END_SESSION = `fetch('/v1/session').then((a) => a.json()).then(({ csrf }) =>
    fetch('/v1/session', { method: 'DELETE', headers: { 'x-toolcrib-csrf': csrf } }))`;
  /** Presses a button in the same turn, since the page soon notices by itself and takes the button away. */
  const endSessionAndPress = (page: Page, button: string): Promise<unknown> =>
    page.evaluate(`${END_SESSION}.then(() =>
      [...document.querySelectorAll('button')].find(({ innerText }) => innerText.includes('${button}')).click())`);

  it('a sign-in link works in a tab where the console is already open', async () => {
    const page = await house.open();
    await page.goto(house.server.url);
    await page.getByLabel('One-time code').waitFor();
    // Only the end of the address changes: the browser loads nothing anew.
    await page.evaluate(`location.href = ${JSON.stringify(house.server.link())}`);
    await home(page).waitFor();
    expect(page.url()).not.toContain('code');
  });

  it('a used sign-in link does not sign out a person who is signed in', async () => {
    const page = await house.open();
    const link = house.server.link();
    await signIn(page, { ...house.server, link: () => link });
    await page.goto('about:blank');
    await page.goto(link);
    await home(page).waitFor();
  });

  it('says that the session has ended, and continues after signing in again', async () => {
    const page = await house.enter('#/audit');
    await page
      .getByText(/rows?( so far)?$|The trail is empty/)
      .first()
      .waitFor();
    await endSessionAndPress(page, 'Verify the chain');
    await page.getByText('Your session is over.').waitFor();
    const code = new URL(house.server.link()).hash.replace('#code=', '');
    await page.getByLabel('One-time code').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('notices by itself that the session has ended, and does not report a lost connection', async () => {
    const page = await house.open();
    let isCut = false;
    await page.route('**/v1/events', (route) =>
      isCut ? route.fulfill({ status: 401, body: '' }) : route.abort(),
    );
    await page.goto(house.server.link());
    await page.locator('nav .connection-lost').waitFor({ state: 'attached' });
    isCut = true;
    await page.getByText('Your session is over.').waitFor();
  });

  it('a tool that lacks its credential says so, and nobody is signed out', async () => {
    const page = await house.enter('#/tools/web_search');
    await page.getByLabel('query').fill('toolcrib');
    const answering = page.waitForResponse((answer) => answer.url().endsWith('/execute'));
    await page.getByRole('button', { name: 'Dry run' }).click();
    expect((await answering).status()).toBe(424);
    await page.getByLabel('Result').getByText('AUTH_MISSING').first().waitFor();
    await page.getByRole('heading', { name: 'web_search', level: 1 }).waitFor();
  });

  it('a server that does not answer is asked again, and no code is asked for', async () => {
    const page = await house.enter();
    await page.route('**/v1/session', (route) => route.abort());
    await page.reload();
    await page.getByText('The server did not answer.').waitFor();
    expect(await page.getByLabel('One-time code').count()).toBe(0);
    await page.unroute('**/v1/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await home(page).waitFor();
  });

  it('shows rows although more calls happen than requests can follow', async () => {
    const page = await house.enter('#/tools');
    await calls(1);
    let answered = 0;
    await page.route('**/v1/executions**', async (route) => {
      await pause(900);
      answered += 1;
      await route.continue();
    });
    await page.evaluate(`location.hash = '#/activity'`);
    const until = Date.now() + 3_000;
    while (Date.now() < until) {
      await calls(1);
      await pause(150);
    }
    expect(await page.getByRole('link', { name: 'calculator' }).count()).toBeGreaterThan(0);
    expect(answered).toBeLessThan(6);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('says when older rows could not be loaded, and loads them on another try', async () => {
    await calls(60);
    const page = await house.enter('#/activity');
    await page.getByText('50 calls so far').waitFor();
    await page.route('**/v1/executions?cursor=**', (route) => route.fulfill(REFUSAL));
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('The disk is gone.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/^(6\d|[7-9]\d|100) calls/).waitFor();
    expect(await page.getByText('The disk is gone.').count()).toBe(0);
  });

  it('drops older rows that come when another filter is on', async () => {
    await calls(60);
    await house.server.crib.execute('no_such_tool', {}, AGENT);
    const page = await house.enter('#/activity?tool=calculator');
    await page.getByText('50 calls so far').waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/executions?*cursor=**', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByLabel('Status').selectOption('failure');
    await page.getByText('No call fits these filters').waitFor();
    await page.getByRole('link', { name: 'Show all calls' }).click();
    await page.getByText('50 calls so far').waitFor();
    const [answer] = await Promise.all([
      page.waitForResponse(/cursor=/),
      Promise.resolve().then(release),
    ]);
    await answer.finished();
    await pause(300);
    expect(await page.getByText('50 calls so far').count()).toBe(1);
  });

  it('says that the page may be outdated when it could not be loaded again', async () => {
    const page = await house.enter('#/costs');
    await page.getByRole('heading', { name: 'By tool' }).waitFor();
    await page.route('**/v1/usage/series**', (route) => route.fulfill(REFUSAL));
    await calls(1);
    await page.getByText('This may be out of date. The disk is gone.').waitFor();
    await page.getByRole('heading', { name: 'By tool' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This may be out of date.').waitFor({ state: 'detached' });
  });

  it('shows a new token although the list of tokens cannot be loaded', async () => {
    const page = await house.enter('#/settings/tokens');
    await page.getByText('No tokens yet').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('once');
    await page.route('**/v1/tokens', (route) =>
      route.request().method() === 'GET' ? route.fulfill(REFUSAL) : route.continue(),
    );
    await page.getByRole('button', { name: 'Create the token' }).click();
    await page.getByText('The disk is gone.').waitFor();
    const token = page.getByRole('figure', { name: 'The new token' }).locator('code');
    expect(await token.innerText()).toMatch(/^tc_/);
  });

  it('a decision cannot be sent twice', async () => {
    const { approvalId } = await house.ask('Once only');
    const page = await house.enter(`#/approvals/${approvalId}`);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    await page.route(`**/v1/approvals/${approvalId}`, async (route) => {
      await pause(1_500);
      await route.continue();
    });
    const decided = page.waitForResponse(/decide$/);
    await approve.click();
    await decided;
    await page.getByText('Approved.').waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await page.getByText('approved', { exact: true }).first().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
