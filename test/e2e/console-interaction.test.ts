/** The console used by keyboard and mouse, in a real browser: focus, keys, half-written forms, hostile names. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { misleading } from '../fixtures/console-tools.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

/** What has the focus, by its text or its name. */
const focused = (page: Page): Promise<unknown> =>
  page.evaluate(`document.activeElement === document.body ? 'nothing' :
    document.activeElement.getAttribute('aria-label') || document.activeElement.innerText`);

describe.skipIf(!hasBrowser())('the console used by keyboard and mouse', { timeout: SLOW }, () => {
  const ui = useConsole([misleading]);

  it('a dialog returns the focus to the button that opened it, however it is closed', async () => {
    const page = await ui.enter('#/sources/mcp/words');
    const restart = page.getByRole('button', { name: 'Restart' });
    const dialog = page.getByRole('dialog');
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Not now' }).click(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
    ]) {
      await restart.focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await close();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toBe('Restart');
      // The window alone was closed, not what lies below it.
      expect(page.url()).toContain('#/sources/mcp/words');
    }
  });

  it('a dialog moves the focus to the page when the button that opened it is gone', async () => {
    const as = { ...AGENT, userId: 'local' };
    const { crib } = ui.server;
    const write = await crib.execute('write_file', { path: 'f.txt', content: 'x' }, as);
    const page = await ui.enter(`#/activity/${write.metadata.executionId}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).not.toBe('nothing');
  });

  it('closing the details returns the focus to their row, and the arrow keys continue from there', async () => {
    for (let n = 0; n < 4; n++) {
      await ui.server.crib.execute('calculator', { expression: `${n}` }, AGENT);
    }
    const page = await ui.enter('#/audit');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    const row = await focused(page);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: `Row ${row}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: /^Row/ }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe(row);
    await page.keyboard.press('k');
    expect(Number(await focused(page))).toBe(Number(row) + 1);
  });

  it('a question is found, approved and left with the keyboard alone, and the focus shows', async () => {
    const { approvalId } = await ui.ask('By keyboard');
    const page = await ui.enter();
    for (const key of ['g', 'p']) await page.keyboard.press(key);
    await page.getByRole('table', { name: 'Questions' }).waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('publish_note');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    for (let n = 0; n < 40 && (await focused(page)) !== 'Approve'; n++) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(`(() => {
        const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
        return outlineStyle + ' ' + boxShadow;
      })()`);
      expect(outline).not.toBe('none none');
    }
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: `Question ${approvalId}` })
      .getByText('approved', { exact: true })
      .waitFor();
    await expect.poll(() => focused(page)).not.toBe('nothing');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: /^Question/ }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).not.toBe('nothing');
    expect(page.complaints).toEqual([]);
  });

  it('a filter keeps the focus while it is typed', async () => {
    const page = await ui.enter('#/activity');
    const box = page.getByRole('searchbox');
    await box.fill('nothing_of_that_name');
    await box.press('Enter');
    await page.getByText('No call fits these filters').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.type('gt');
    // Had the box lost the focus, these two keys would have gone to another page.
    expect(await box.inputValue()).toBe('gt');
    expect(page.url()).toContain('#/activity');
  });

  it('a list shows the filter of the address, and another page starts at its top', async () => {
    const page = await ui.enter('#/tools?q=calculator', {
      viewport: { width: 1000, height: 300 },
    });
    await page.getByText('1 tool', { exact: true }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'analyze_code' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.getByRole('link', { name: /^write_file/ }).scrollIntoViewIfNeeded();
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    await page.getByRole('link', { name: /^write_file/ }).click();
    await page.getByRole('heading', { name: 'write_file', level: 1 }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('a form keeps what was typed while another tab is open', async () => {
    const page = await ui.enter('#/tools/calculator');
    await page.getByLabel('expression').fill('6 * 7');
    await page.getByRole('tab', { name: 'Schema' }).click();
    await page.getByLabel('Input schema').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Try' }).click();
    expect(await page.getByLabel('expression').inputValue()).toBe('6 * 7');
  });

  it('a form does not run a tool with text in a number field', async () => {
    const page = await ui.enter('#/tools/misleading');
    await page.getByLabel('mode').selectOption('slow');
    await page.getByLabel('count').pressSequentially('1-2');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This is not a number.').first().waitFor();
    await page.getByLabel('count').fill('11');
    await page.getByText('Has to be 10 or less.').first().waitFor();
    await page.getByLabel('count').fill('10');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByLabel('Data').getByText('10', { exact: true }).waitFor();
  });

  it('a list field shows the remaining items when one is removed', async () => {
    const page = await ui.enter('#/tools/misleading');
    const add = page.getByRole('button', { name: /^Add to/ });
    for (const text of ['"first"', '"second"']) {
      await add.click();
      await page.locator('.item textarea').last().fill(text);
    }
    await page.getByRole('button', { name: /^Remove .* 1$/ }).click();
    expect(await page.locator('.item textarea').inputValue()).toBe('"second"');
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await page.getByLabel('Input as JSON').inputValue()).toContain('"second"');
  });

  it('threat: no text of a tool turns the direction of writing on any of its tabs', async () => {
    const page = await ui.enter('#/tools');
    const turned = async () => (await page.locator('body').innerText()).includes('\u202E');
    const tabs = ['try', 'about'].map((tab) => `#/tools/misleading?tab=${tab}`);
    for (const place of ['#/tools', ...tabs]) {
      await page.goto(`${ui.server.url}/${place}`);
      await page.getByText('U+202E').first().waitFor();
      expect(await turned(), place).toBe(false);
    }
    await page.goto(`${ui.server.url}/#/tools/misleading`);
    await page.getByRole('button', { name: /^Set part/ }).click();
    await page.getByRole('button', { name: /^Add to/ }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Is required.').first().waitFor();
    expect(await turned()).toBe(false);
    const options = await page.locator('option').allTextContents();
    expect(options.filter((text) => text.includes('\u202E'))).toEqual([]);
    expect(options).toContain('fa[U+202E]st');
  });

  it('threat: a text padded with lines says how long it is', async () => {
    const input = {
      title: 'Harmless',
      body: `Nothing to see.${'\n'.repeat(300)}and this`,
      target: { channel: 'general' },
    };
    const asked = await ui.server.crib.execute('publish_note', input, AGENT);
    const page = await ui.enter(`#/approvals/${asked.approval?.approvalId}`);
    await page.getByText('301 lines, 323 characters').waitFor();
  });

  it('any audit row opens by its number', async () => {
    const { crib, url } = ui.server;
    for (let n = 0; n < 55; n++) await crib.execute('calculator', { expression: `${n}` }, AGENT);
    const page = await ui.enter('#/audit/1?tool=no_such_tool');
    await page
      .getByRole('region', { name: 'Row 1' })
      .getByRole('heading', { name: 'Row 1' })
      .waitFor();
    for (const seq of ['999999', '0', 'nonsense']) {
      await page.goto(`${url}/#/audit/${seq}`);
      await page.getByText(`There is no row ${seq}`).waitFor();
    }
    expect(page.complaints).toEqual([]);
  });

  it('the result of an approved call stays while its page is open', async () => {
    const page = await ui.enter('#/tools/publish_note');
    await page.getByLabel('Start from an example').selectOption('A release note');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('link', { name: 'Open the question' }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('button', { name: 'Run the approved call' }).click();
    const result = page.getByLabel('Result').getByText('published');
    await result.waitFor();
    await ui.ask('Something else happens');
    await page.getByText('used', { exact: true }).first().waitFor();
    expect(await result.count()).toBe(1);
  });

  it('a call tried in the console shows that a person denied it', async () => {
    const page = await ui.enter('#/tools/publish_note');
    await page.getByLabel('Start from an example').selectOption('A release note');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('A person has to agree first.').waitFor();
    const [question] = await ui.server.crib.approvals.list();
    await ui.server.crib.approvals.decide(question?.id ?? '', { approve: false, by: 'eve' });
    await page.getByText('A person said no. Nothing was run.').waitFor();
  });

  it('choosing a page closes the menu on a phone, also for the page that is open', async () => {
    const page = await ui.enter('#/tools', { viewport: { width: 390, height: 844 } });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false');
  });
});
