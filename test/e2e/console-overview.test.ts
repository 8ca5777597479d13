/** The first page of the console in a real browser: what needs one, what runs, and figures that lead to calls. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineTool } from '../../src/contract/define-tool.ts';
import { ToolFailure } from '../../src/contract/errors.ts';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

const input = { type: 'object', additionalProperties: false };
const TOOLS = [
  defineTool({
    name: 'price_check',
    description: 'Looks a price up.',
    tier: 'read_only',
    source: 'custom',
    cost: { model: 'usage_based', fixed: 0.25 },
    input,
    run: () => ({ found: true }),
  }),
  defineTool({
    name: 'flaky',
    description: 'Fails.',
    tier: 'read_only',
    source: 'custom',
    input,
    run: () => {
      throw new ToolFailure('LOCK', 'Somebody holds it.');
    },
  }),
];

describe.skipIf(!hasBrowser())('the overview of the console', { timeout: SLOW }, () => {
  const house = useConsole(TOOLS);
  const { enter } = house;
  const call = (tool: string, given: object = {}) => house.server.crib.execute(tool, given, AGENT);

  beforeAll(async () => {
    for (const expression of ['1 + 1', '2 + 2', '3 + 3']) await call('calculator', { expression });
    for (let n = 0; n < 2; n++) await call('price_check');
    await call('flaky');
  });

  const region = (page: Page, name: string) => page.getByRole('region', { name });
  /** The calls that the activity lists, when it has loaded. */
  const listed = async (page: Page): Promise<readonly string[]> => {
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    const table = page.getByRole('table', { name: 'Calls' });
    await table.waitFor();
    return (await table.locator('a.row-link').allTextContents()).map(
      (text) => /^[a-z_]+?(?=expression|$)/.exec(text)?.[0] ?? text,
    );
  };

  it('shows a call that began before the page was opened, until it is over', async () => {
    const stop = new AbortController();
    const slow = house.server.crib.execute('keep_going', {}, { ...AGENT, signal: stop.signal });
    const page = await enter();
    const runs = region(page, 'Runs now');
    await runs.getByRole('link', { name: /keep_going/ }).waitFor();
    await page.goto(`${house.server.url}/#/activity`);
    await page.getByRole('row', { name: /keep_going running/ }).waitFor();
    await page.goto(`${house.server.url}/#/overview`);
    await runs.getByRole('link', { name: /keep_going/ }).waitFor();
    stop.abort();
    await slow;
    await runs.getByText('No call and no flow is under way.').waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('lists a question and a tool in quarantine as tasks of the reader, and links to them', async () => {
    const page = await enter();
    const needs = region(page, 'Needs you');
    await needs.getByRole('link', { name: /Quarantine lookup_word/ }).waitFor();
    const { approvalId } = await house.ask('Release');
    await needs.getByRole('link', { name: /Approval publish_note.*Release.*for ada/ }).click();
    expect(new URL(page.url()).hash).toBe(`#/approvals/${approvalId}`);
    await house.server.crib.approvals.decide(approvalId, { approve: false, by: 'grace' });
    await page.goto(`${house.server.url}/#/overview`);
    await needs.getByRole('link', { name: /Quarantine/ }).waitFor();
    expect(await needs.getByRole('link', { name: /Approval/ }).count()).toBe(0);
  });

  it('leads from each figure to the calls behind it', async () => {
    const page = await enter('#/overview?period=1h');
    await page.getByRole('link', { name: /^Failed: 1\./ }).click();
    expect(await listed(page)).toEqual(['flaky']);
    await page.goBack();
    await region(page, 'What failed').getByRole('link', { name: /^LOCK/ }).click();
    expect(await listed(page)).toEqual(['flaky']);
    await page.getByRole('button', { name: /^Only code/ }).click();
    await expect.poll(() => listed(page).then((tools) => tools.length)).toBeGreaterThan(5);
    await page.goto(`${house.server.url}/#/overview?period=1h`);
    const cost = region(page, 'Cost by minute and tool');
    await cost.getByRole('link', { name: '$0.50' }).click();
    expect(await listed(page)).toEqual(['price_check', 'price_check']);
    expect(page.complaints).toEqual([]);
  });

  it('walks the heat map with the arrow keys and opens the calls of a cell', async () => {
    const page = await enter('#/overview?period=1h');
    const durations = region(page, 'Durations');
    const cells = durations.getByRole('link', { name: /took/ });
    await cells.first().waitFor();
    await durations.getByLabel('Tool').selectOption('calculator');
    await durations.getByRole('figure', { name: 'Durations of 3 calls over time' }).waitFor();
    await durations.getByRole('button', { name: 'Table' }).focus();
    await page.keyboard.press('Tab');
    const named = await page.evaluate('document.activeElement.getAttribute("aria-label")');
    expect(named).toMatch(/^\d calls? took /);
    await page.keyboard.press('Enter');
    const tools = await listed(page);
    expect(`${tools.length}`).toBe(/^\d+/.exec(String(named))?.[0]);
    expect(new Set(tools)).toEqual(new Set(['calculator']));
    expect(page.complaints).toEqual([]);
  });

  it('counts the calls of each tool from the record, and leads to them', async () => {
    const page = await enter('#/tools');
    const row = page.getByRole('row', { name: /price_check/ });
    await row.getByRole('link', { name: '2', exact: true }).click();
    expect(await listed(page)).toEqual(['price_check', 'price_check']);
  });

  it('shows the figures of one tool on its page, and those of a call as soon as it is over', async () => {
    const page = await enter('#/tools/price_check?tab=figures&period=1h');
    await page.getByRole('link', { name: 'Calls: 2. Show the calls' }).waitFor();
    await region(page, 'Durations').getByRole('link').first().waitFor();
    await call('price_check');
    await page.getByRole('link', { name: 'Calls: 3. Show the calls' }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('names the parts that could not be read, and shows the rest', async () => {
    const page = await enter('#/activity');
    await page.route('**/v1/servers?*', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'NETWORK', message: 'Out of reach.' } },
      }),
    );
    await page.goto(`${house.server.url}/#/overview`);
    const needs = region(page, 'Needs you');
    await needs.getByText('This may be out of date. Out of reach.').waitFor();
    await needs.getByRole('link', { name: /Quarantine lookup_word/ }).waitFor();
  });
});
