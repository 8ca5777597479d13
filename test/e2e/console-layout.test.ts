/** Where things lie in the console, measured in a real browser: what matters is in sight and covered by nothing. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

const TABLET = { viewport: { width: 820, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const LONG_NAME = `no_such_tool_${'that_goes_on_'.repeat(7)}`;

/** Where the day begins in this very hour, so that the last step of a chart bears a date. */
const zoneOfMidnight = (): string => {
  const hour = new Date().getUTCHours();
  // The sign of these names is the wrong way round, as POSIX has it.
  return hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
};

describe.skipIf(!hasBrowser())('the layout of the console', { timeout: SLOW }, () => {
  const house = useConsole();

  beforeAll(async () => {
    await house.server.crib.execute('calculator', { expression: '6 * 7' }, AGENT);
    await house.server.crib.execute(LONG_NAME, {}, AGENT);
    // One in eight has failed: 12.5 %, which takes more room than a half.
    for (const expression of ['1', '2', '3', '4', '5', '6']) {
      await house.server.crib.execute('calculator', { expression }, AGENT);
    }
  });

  const boxOf = async (part: Locator) => {
    await part.waitFor();
    const box = await part.boundingBox();
    if (!box) throw new Error('It is not drawn.');
    return { ...box, right: box.x + box.width, bottom: box.y + box.height };
  };

  /** By how much the table is wider than its frame. */
  const hiddenWidth = (page: Page): Promise<number> =>
    page.locator('.table-wrap').evaluate((frame) => frame.scrollWidth - frame.clientWidth);

  it.each([
    ['activity', undefined],
    ['activity', PHONE],
    ['audit', undefined],
    ['audit', PHONE],
  ])('a long name pushes no column of %s out of sight', async (place, look) => {
    const page = await house.enter(`#/${place}`, look);
    await page.getByText(LONG_NAME).first().waitFor();
    expect(await hiddenWidth(page)).toBeLessThanOrEqual(0);
  });

  it('the queues show on a phone how many jobs are delayed', async () => {
    const { jobs } = house.server.crib;
    const call = { tool: 'calculator', input: { expression: '1' } };
    const id = await jobs.enqueue('tool', call, { ...AGENT, delayMs: 86_400_000 });
    const page = await house.enter('#/jobs', PHONE);
    const queues = page.getByRole('table', { name: 'Queues' });
    await queues.getByRole('columnheader', { name: 'Delayed' }).waitFor();
    const frame = page.locator('.table-wrap', { has: queues });
    expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
      0,
    );
    await jobs.remove(id);
  });

  it('a short name is not broken to make room', async () => {
    const page = await house.enter('#/activity', PHONE);
    const name = page.getByRole('link', { name: 'calculator' }).locator('bdi').first();
    const { height } = await boxOf(name);
    expect(height).toBeLessThan(30);
  });

  it('names break between their words and nowhere else, on a tablet', async () => {
    const page = await house.enter('#/tools', TABLET);
    await page.getByRole('link', { name: 'analyze_dependencies' }).waitFor();
    const broken = await page.evaluate(`(() => {
      const names = [...document.querySelectorAll('a.row-link bdi')];
      const words = names.flatMap((name) => [...name.childNodes].filter(({ data }) => data));
      const linesOf = (word) => {
        const range = document.createRange();
        range.selectNodeContents(word);
        return range.getClientRects().length;
      };
      return words.filter((word) => !word.data.includes(' ') && linesOf(word) > 1).map(({ data }) => data);
    })()`);
    expect(broken).toEqual([]);
  });

  it('the navigation stays where it is when a page is scrolled', async () => {
    const page = await house.enter('#/tools', { viewport: { width: 1400, height: 600 } });
    await page.getByRole('link', { name: 'calculator' }).waitFor();
    const link = page.getByRole('navigation').getByRole('link', { name: 'Audit' });
    const brand = page.locator('.brand');
    const before = [(await boxOf(link)).y, (await boxOf(brand)).y];
    await page.evaluate('window.scrollTo(0, 500)');
    await expect.poll(() => page.evaluate('window.scrollY')).toBeGreaterThan(100);
    expect([(await boxOf(link)).y, (await boxOf(brand)).y]).toEqual(before);
  });

  it.each([undefined, TABLET, PHONE])(
    'the verdict of the policy is scrolled into view',
    async (look) => {
      const page = await house.enter('#/policy/explain?tool=publish_note', look);
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      const verdict = page.getByRole('heading', { name: 'A person would be asked' });
      const { y, bottom } = await boxOf(verdict);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(bottom).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    },
  );

  it('the buttons that decide are visible as soon as a question is open', async () => {
    const { approvalId } = await house.ask('In sight');
    for (const look of [undefined, TABLET, PHONE]) {
      const page = await house.enter(`#/approvals/${approvalId}`, look);
      const { bottom } = await boxOf(page.getByRole('button', { name: 'Approve', exact: true }));
      expect(bottom).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    }
  });

  it('nothing is hidden below the button that closes the details', async () => {
    const page = await house.enter('#/activity/nope', PHONE);
    const text = await boxOf(page.getByRole('heading', { name: 'There is no such call' }));
    const close = await boxOf(page.getByRole('link', { name: 'Close the details' }));
    expect(close.bottom).toBeLessThanOrEqual(text.y);
    await page.goto(`${house.server.url}/#/sources/mcp/words`);
    await page.locator('.split-detail > header').waitFor();
    const spare = await page.evaluate(
      `parseFloat(getComputedStyle(document.querySelector('.split-detail > header')).paddingRight)`,
    );
    expect(spare).toBeGreaterThanOrEqual(36);
  });

  it('the heading of what a phone opens is not below the bar', async () => {
    const page = await house.enter('#/sources/mcp/words', PHONE);
    const heading = page.locator('.split-detail h2').first();
    await heading.waitFor();
    // As the browser does where the focus goes to details that are out of sight.
    await page.evaluate(`document.querySelector('.split-detail').scrollIntoView()`);
    expect(await page.evaluate('window.scrollY')).toBeGreaterThan(0);
    const bar = await boxOf(page.locator('.top-bar'));
    expect((await boxOf(heading)).y).toBeGreaterThanOrEqual(bar.bottom);
  });

  it.each([TABLET, PHONE])('the note of a figure stays in its tile', async (look) => {
    const page = await house.enter('#/overview', look);
    const tile = page.locator('.tiles .panel', { hasText: 'of those that ran' });
    const { right } = await boxOf(tile);
    expect((await boxOf(tile.locator('.muted').last())).right).toBeLessThanOrEqual(right);
  });

  it('the selected tab is visible where the tabs are wider than the screen', async () => {
    const page = await house.enter('#/settings/appearance', PHONE);
    const tab = await boxOf(page.getByRole('tab', { name: 'Appearance' }));
    expect(tab.x).toBeGreaterThanOrEqual(0);
    expect(tab.right).toBeLessThanOrEqual(PHONE.viewport.width);
  });

  it('a phone says that the connection is lost, and that it is back, with its menu closed', async () => {
    const page = await house.enter('#/activity', PHONE);
    const lost = page.locator('.top-bar').getByText('Connection lost');
    expect(await lost.count()).toBe(0);
    await page.route('**/v1/events', (route) => route.abort());
    await page.reload();
    await lost.waitFor();
    const { right } = await boxOf(lost);
    expect(right).toBeLessThanOrEqual(PHONE.viewport.width);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await lost.waitFor({ state: 'detached' });
  });

  it('the date below the last step of a chart is not cut', async () => {
    const page = await house.enter('#/costs?period=24h', {
      ...PHONE,
      timezoneId: zoneOfMidnight(),
    });
    await page.locator('canvas').first().waitFor();
    // The last column of the picture is blank when no label reaches its edge.
    const inked = await page.evaluate(`(() => {
      const picture = document.querySelector('canvas');
      const pen = picture.getContext('2d');
      const edge = pen.getImageData(picture.width - 1, 0, 1, picture.height).data;
      return [...edge].filter((part) => part !== 0).length;
    })()`);
    expect(inked).toBe(0);
  });

  it('the page names the time zone of its times', async () => {
    const page = await house.enter('#/audit', { timezoneId: 'Asia/Kolkata' });
    await page.getByLabel('From (GMT+5:30)').waitFor();
    await page.goto(`${house.server.url}/#/audit/1`);
    await page.getByText(/\d\d:\d\d:\d\d GMT\+5:30$/).waitFor();
    await page.goto(`${house.server.url}/#/costs`);
    await page.getByText('Times in GMT+5:30').waitFor();
    await page.getByLabel('Period').selectOption('30d');
    await page.getByText('Days in UTC').waitFor();
  });
});
