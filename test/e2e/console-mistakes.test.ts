/** The console when people make mistakes, in a real browser: wrong values, dead links, two people on one thing. */
import { describe, expect, it } from 'vitest';
import { hasBrowser, signIn } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('mistakes in the console', { timeout: SLOW }, () => {
  const ui = useConsole();
  const focused = 'document.activeElement?.id';

  it('a form with a wrong value moves the focus to the first wrong field and says what is wrong', async () => {
    const page = await ui.enter('#/tools/publish_note');
    await page.getByLabel('title').fill('Notes');
    await page.getByLabel('priority').fill('9');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Has to be 5 or less.').first().waitFor();
    const box = page.getByLabel('priority');
    expect(await page.evaluate(focused)).toBe(await box.getAttribute('id'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('4');
    await page.getByText('Has to be 5 or less.').waitFor({ state: 'detached' });
  });

  it.each([
    ['activity/nope', 'There is no such call', 'Show all calls', 'Activity'],
    ['approvals/nope', 'There is no such question', 'See which ones wait', 'Approvals'],
    ['tools/nope', 'There is no tool of that name', 'Search the tools', 'Tools'],
    ['sources/mcp/nope', 'There is no such source', 'Show all sources', 'Sources'],
    ['audit/999999', 'There is no row 999999', 'Show all rows', 'Audit'],
    ['nope', 'There is no such page', 'Go to the overview', 'Overview'],
  ])(
    'a link to %s says what does not exist and where to go instead',
    async (hash, says, out, to) => {
      const page = await ui.enter(`#/${hash}`);
      await page.getByRole('heading', { name: says }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.getByRole('link', { name: out }).click();
      await page.getByRole('heading', { name: to, level: 1 }).waitFor();
      await page.getByRole('heading', { name: says }).waitFor({ state: 'detached' });
      expect(page.complaints).toEqual([]);
    },
  );

  it('the title of the window says that a page does not exist', async () => {
    const page = await ui.enter('#/nope');
    await expect.poll(() => page.title()).toBe('Not found · Toolcrib');
  });

  it.each([
    'activity?status=nope&tier=bogus',
    'tools?source=nope&enabled=maybe',
    'audit?kind=nope',
  ])('a filter value that does not exist is ignored: %s', async (hash) => {
    await ui.server.crib.execute('calculator', { expression: '6 * 7' }, AGENT);
    const page = await ui.enter(`#/${hash}`);
    await page.getByText('calculator').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a name of thousands of characters stays inside the window', async () => {
    const page = await ui.enter(`#/tools/${'x'.repeat(3_000)}`);
    await page.locator('.empty, .failure').waitFor();
    expect(await page.evaluate('innerWidth - document.documentElement.scrollWidth')).toBe(0);
  });

  it('undoing a call that another person has just undone says so', async () => {
    const as = { ...AGENT, userId: 'local' };
    const write = await ui.server.crib.execute('write_file', { path: 'b.txt', content: 'b' }, as);
    const { executionId } = write.metadata;
    const page = await ui.enter(`#/activity/${executionId}`);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo this call?' });
    await dialog.waitFor();
    await ui.server.crib.executions.undo(executionId, as);
    await page.getByRole('definition').getByText('Undone').waitFor();
    await page.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByText('The call has been undone already.').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });

  it('a used sign-in link says how to get another code', async () => {
    const link = ui.server.link();
    await signIn(await ui.open(), { ...ui.server, link: () => link });
    const page = await ui.open();
    await page.goto(link);
    await page.getByText('The code is wrong, used or too old.').waitFor();
    await page.getByText('run toolcrib console in the folder of the server').waitFor();
  });
});
