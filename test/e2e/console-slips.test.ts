/** What people do to the console that nobody meant them to do: wrong values, dead links, two hands on one thing. */
import { describe, expect, it } from 'vitest';
import { hasBrowser, signIn } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('slips in the console', { timeout: SLOW }, () => {
  const house = useConsole();
  const focused = 'document.activeElement?.id';

  it('goes to the first box that is wrong, and leads out of it in plain words', async () => {
    const page = await house.enter('#/tools/publish_note');
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
  ])('a link to %s says what is not there and where to go instead', async (hash, says, out, to) => {
    const page = await house.enter(`#/${hash}`);
    await page.getByRole('heading', { name: says }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: out }).click();
    await page.getByRole('heading', { name: to, level: 1 }).waitFor();
    await page.getByRole('heading', { name: says }).waitFor({ state: 'detached' });
    expect(page.complaints).toEqual([]);
  });

  it('names a page that is not there in the title of the window', async () => {
    const page = await house.enter('#/nope');
    await expect.poll(() => page.title()).toBe('Not found · Toolcrib');
  });

  it.each([
    'activity?status=nope&tier=bogus',
    'tools?source=nope&enabled=maybe',
    'audit?kind=nope',
  ])('choices that do not exist are as if none was made: %s', async (hash) => {
    await house.server.crib.execute('calculator', { expression: '6 * 7' }, AGENT);
    const page = await house.enter(`#/${hash}`);
    await page.getByText('calculator').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a name of thousands of characters stays inside the window', async () => {
    const page = await house.enter(`#/tools/${'x'.repeat(3_000)}`);
    await page.locator('.empty, .failure').waitFor();
    expect(await page.evaluate('innerWidth - document.documentElement.scrollWidth')).toBe(0);
  });

  it('tells who asks to undo a call that somebody else has just undone', async () => {
    const as = { ...AGENT, userId: 'local' };
    const write = await house.server.crib.execute(
      'write_file',
      { path: 'b.txt', content: 'b' },
      as,
    );
    const { executionId } = write.metadata;
    const page = await house.enter(`#/activity/${executionId}`);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo this call?' });
    await dialog.waitFor();
    await house.server.crib.executions.undo(executionId, as);
    await page.getByRole('definition').getByText('Undone').waitFor();
    await page.getByRole('button', { name: 'Undo the call' }).click();
    await page.getByText('The call has been undone already.').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });

  it('a used link says how to come by another code', async () => {
    const link = house.server.link();
    await signIn(await house.open(), { ...house.server, link: () => link });
    const page = await house.open();
    await page.goto(link);
    await page.getByText('The code is wrong, used or too old.').waitFor();
    await page.getByText('on the signal SIGUSR2').waitFor();
  });
});
