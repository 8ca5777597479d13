/** Other people in the console, in a real browser: invited by an admin, and held to their role. */
import { describe, expect, it } from 'vitest';
import { hasBrowser, signIn } from '../fixtures/console-browser.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const PAGES = ['overview', 'activity', 'approvals', 'tools', 'sources', 'catalog', 'costs'].concat(
  'audit',
  'policy',
);

describe.skipIf(!hasBrowser())('the console and its roles', { timeout: SLOW }, () => {
  const house = useConsole();

  /** As an admin does it: fills the form and copies the link. */
  const linkFor = async (user: string, role: string): Promise<string> => {
    const page = await house.enter('#/settings/people');
    await page.getByRole('button', { name: 'Make a sign-in link' }).click();
    await page.getByText('1 to 64 letters, digits').waitFor();
    await page.getByLabel('Name').fill(user);
    await page.getByLabel('Role').selectOption(role);
    await page.getByRole('button', { name: 'Make a sign-in link' }).click();
    const shown = page.getByRole('region', { name: 'Sign-in link' });
    const link = (await shown.locator('code').first().textContent()) ?? '';
    expect(page.complaints).toEqual([]);
    await page.context().close();
    return link.trim();
  };

  const enterAs = async (user: string, role: string) => {
    const link = await linkFor(user, role);
    const page = await house.open();
    await signIn(page, { ...house.server, link: () => link });
    await page.getByText(user, { exact: true }).first().waitFor();
    return page;
  };

  it('a viewer reads every page and finds nothing to press that would be refused', async () => {
    const page = await enterAs('vera', 'viewer');
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    for (const name of PAGES) {
      await page.goto(`${house.server.url}/#/${name}`);
      await page.getByRole('heading', { level: 1, name: new RegExp(name, 'i') }).waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    const { approvalId: id } = await house.ask('For a viewer');
    await page.goto(`${house.server.url}/#/approvals/${id}`);
    await page.getByText('Only operators and admins may decide.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.goto(`${house.server.url}/#/tools/calculator/try`);
    await page.getByText('Viewers cannot call tools.').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    for (const tab of ['configuration', 'tokens', 'people']) {
      await page.goto(`${house.server.url}/#/settings/${tab}`);
      await page.getByRole('heading', { name: 'For admins' }).waitFor();
    }
    await page.goto(`${house.server.url}/#/settings/health`);
    const checks = page.getByRole('region', { name: 'Checks' });
    expect(await checks.getByRole('button', { name: 'Check now' }).isDisabled()).toBe(true);
    expect(await page.getByRole('region', { name: 'Doctor' }).count()).toBe(0);
    expect(refused).toEqual([]);
    expect(page.complaints).toEqual([]);
  });

  it('an operator decides, in the name they were invited by, but lets nobody else in', async () => {
    const { approvalId: id } = await house.ask('For an operator');
    const page = await enterAs('otto', 'operator');
    await page.goto(`${house.server.url}/#/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Approved.').waitFor();
    const { approvals } = house.server.crib;
    expect(await approvals.get(id)).toMatchObject({ state: 'approved', decidedBy: 'otto' });
    await page.goto(`${house.server.url}/#/settings/people`);
    await page.getByRole('heading', { name: 'For admins' }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('a link lets one person in once', async () => {
    const link = await linkFor('vera', 'viewer');
    await signIn(await house.open(), { ...house.server, link: () => link });
    const second = await house.open();
    await second.goto(link);
    await second.getByText(/wrong, used or too old/).waitFor();
  });
});
