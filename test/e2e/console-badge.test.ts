/** The window around the pages, in a real browser: the count of what waits, and pages that fail to load. */
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const HOUR = 3_600_000;

describe.skipIf(!hasBrowser())('the window of the console', { timeout: SLOW }, () => {
  const house = useConsole();

  it('counts waiting approvals as they come and go, on every page, and when they expire', async () => {
    const page = await house.open();
    // The clock of the page is ours: nobody waits an hour for a question to expire.
    await page.clock.install();
    await page.goto(house.server.link());
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.locator('.connection-open').waitFor({ state: 'attached' });
    await page.goto(`${house.server.url}/#/costs`);
    const badge = page.getByRole('navigation').locator('.count');
    // Events settle for a moment of that clock before the page asks again.
    const shown = async (): Promise<string> => {
      await page.clock.runFor(1_000);
      return (await badge.count()) === 0 ? '' : badge.innerText();
    };
    expect(await shown()).toBe('');
    const one = await house.ask('The first');
    await expect.poll(shown, { timeout: 20_000 }).toMatch(/^1\b/);
    await house.ask('The second');
    await expect.poll(shown, { timeout: 20_000 }).toMatch(/^2\b/);
    const decision = { approve: false, by: 'grace' };
    await house.server.crib.approvals.decide(one.approvalId, decision);
    await expect.poll(shown, { timeout: 20_000 }).toMatch(/^1\b/);
    await page.clock.fastForward(25 * HOUR);
    await expect.poll(shown, { timeout: 20_000 }).toBe('');
    expect(page.complaints).toEqual([]);
  });

  it('offers to reload the console when a page could not be fetched, and the other pages still work', async () => {
    const page = await house.enter();
    await page.route('**/assets/audit-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('heading', { name: 'This page ran into a fault' }).waitFor();
    const nav = page.getByRole('navigation');
    await nav.getByRole('link', { name: 'Policy' }).click();
    await page.getByRole('heading', { name: 'Policy', level: 1 }).waitFor();
    await nav.getByRole('link', { name: 'Audit' }).click();
    const again = page.getByRole('button', { name: 'Load the console again' });
    await again.waitFor();
    await page.unrouteAll();
    await again.click();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/audit');
  });
});
