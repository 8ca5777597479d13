/** The pages of the console for costs, audit, policy, servers and settings, in a real browser. */
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())(
  'console pages for costs, audit, policy, servers and settings',
  { timeout: SLOW },
  () => {
    const ui = useConsole();
    const { enter } = ui;

    beforeAll(async () => {
      await ui.server.crib.execute('calculator', { expression: '6 * 7' }, AGENT);
      await ui.server.crib.execute('no_such_tool', {}, AGENT);
    });

    const saved = async (page: Page, press: Locator): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([page.waitForEvent('download'), press.click()]);
      const name = download.suggestedFilename();
      // The browser may run elsewhere, so the file has no path here.
      return { name, text: await text(await download.createReadStream()) };
    };

    /** The chart as it is painted at this moment. */
    const painted = (page: Page): Promise<string> =>
      page
        .locator('canvas')
        .first()
        .evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());

    it('costs: the chart of calls has a table with the same figures and is drawn again in another theme', async () => {
      const page = await enter('#/costs?period=24h');
      const calls = page.getByRole('region', { name: 'Calls by hour' });
      await calls.getByText('2 in all, 1 failed').waitFor();
      const light = await painted(page);
      await page.getByRole('button', { name: /^Theme: system/ }).click();
      await page.getByRole('button', { name: /^Theme: light/ }).click();
      await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
      await expect.poll(() => painted(page)).not.toBe(light);
      await calls.getByRole('button', { name: 'Table' }).click();
      await calls.getByRole('row', { name: /2\s*1$/ }).waitFor();
      await page.getByRole('link', { name: 'calculator' }).click();
      await page.getByRole('button', { name: /Only calculator/ }).waitFor();
      await calls.getByText('1 in all, 0 failed').waitFor();
      expect(page.complaints).toEqual([]);
    });

    it('costs: each number leads to the calls that it counts', async () => {
      const page = await enter('#/costs?period=24h');
      await page.getByRole('link', { name: 'Calls: 2. Show the calls' }).waitFor();
      await page.getByRole('link', { name: 'Failed: 1. Show the calls' }).click();
      const calls = page.getByRole('table', { name: 'Calls' });
      await calls.getByRole('row', { name: /^no_such_tool/ }).waitFor();
      expect(await calls.getByRole('row').count()).toBe(2);
      await page.goBack();
      const row = page.getByRole('table', { name: 'Costs by tool' }).getByRole('row', {
        name: /^calculator/,
      });
      await row.getByRole('link', { name: '1', exact: true }).click();
      await calls.getByRole('row', { name: /^calculator/ }).waitFor();
      expect(await calls.getByRole('row').count()).toBe(2);
      expect(page.complaints).toEqual([]);
    });

    it('costs: the report of a month is downloaded as a page to print and as CSV', async () => {
      const page = await enter('#/costs');
      const html = await saved(page, page.getByRole('link', { name: 'Page to print' }));
      expect(html.name).toMatch(/^toolcrib-usage-\d{4}-\d{2}\.html$/);
      expect(html.text).toContain('Days in UTC');
      const csv = await saved(page, page.getByRole('link', { name: 'CSV', exact: true }));
      expect(csv.text).toMatch(/,tool,calculator,\d/);
      expect(page.complaints).toEqual([]);
    });

    it('costs: a call is counted as soon as it is over', async () => {
      const page = await enter('#/costs?tool=current_time');
      await page.getByText('No call in the last 24 hours').waitFor();
      await page.goto(`${ui.server.url}/#/costs?tool=calculator`);
      const row = page.getByRole('row', { name: /^calculator/ });
      await row.getByRole('cell', { name: '1', exact: true }).waitFor();
      await ui.server.crib.execute('calculator', { expression: '1 + 1' }, AGENT);
      await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    });

    it('audit: a recorded call is compared with what would happen now, and nothing is run', async () => {
      const { crib, url } = ui.server;
      const { metadata } = await crib.execute('calculator', { expression: '8 * 8' }, AGENT);
      const [row] = await crib.audit.query({ executionId: metadata.executionId });
      const page = await enter(`#/audit/${row?.seq}`);
      const rows = (await crib.audit.query()).length;
      await page.getByRole('button', { name: 'Compare with now' }).click();
      await page.getByText('The same would happen now.').waitFor();
      await page.getByRole('row', { name: /^outcome same ran: success would run/ }).waitFor();
      expect((await crib.audit.query()).length).toBe(rows);
      crib.tools.setEnabled('calculator', false);
      try {
        await page.getByRole('button', { name: 'Compare with now' }).click();
        await page.getByText('It would go differently now.').waitFor();
        await page.getByRole('row', { name: /would be refused: TOOL_DISABLED/ }).waitFor();
      } finally {
        crib.tools.setEnabled('calculator', true);
      }
      await page.goto(`${url}/#/activity/${metadata.executionId}`);
      await page.getByRole('button', { name: 'Compare with now' }).click();
      await page.getByText('The same would happen now.').waitFor();
      expect(page.complaints).toEqual([]);
    });

    it('audit: rows are found, the trail is verified, a checkpoint is signed and the trail is exported', async () => {
      const page = await enter('#/audit');
      await page.getByLabel('Tool', { exact: true }).fill('no_such_tool');
      await page.keyboard.press('Enter');
      await page.getByText('1 row', { exact: true }).waitFor();
      await page.getByRole('table').getByRole('link').first().click();
      await page
        .getByRole('region', { name: /^Row \d+/ })
        .getByText('TOOL_NOT_FOUND')
        .waitFor();
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await page.getByText('The chain is whole').waitFor();
      const signed = await saved(page, page.getByRole('button', { name: 'Create a checkpoint' }));
      expect(signed.name).toMatch(/^toolcrib-checkpoint-\d+\.json$/);
      expect(await ui.server.crib.audit.verify(JSON.parse(signed.text))).toMatchObject({
        ok: true,
      });
      const csv = await saved(page, page.getByRole('link', { name: 'Export CSV' }));
      expect(csv.text).toContain('no_such_tool');
      expect(csv.text).not.toContain('calculator');
      expect(page.complaints).toEqual([]);
    });

    it('audit: a filter with impossible dates is reported', async () => {
      const page = await enter('#/audit?from=2026-11-15T12:00&to=2026-11-14T12:00');
      await page.getByText('“From” has to be before “To”.').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page
        .getByRole('row', { name: /calculator/ })
        .first()
        .waitFor();
    });

    it('policy: the rules are listed, and a call is explained without running it', async () => {
      const page = await enter('#/policy');
      await page.getByRole('searchbox', { name: 'Search the rules' }).fill('external');
      await page.getByRole('heading', { name: 'tier-4-external' }).waitFor();
      await page.getByRole('tab', { name: 'Explain a call' }).click();
      await page.getByLabel('Tool', { exact: true }).fill('publish_note');
      await page.getByLabel('User').fill('ada');
      await page.getByLabel('title').fill('');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByText('Characters needed: 3 or more.').first().waitFor();
      await page.getByLabel('title').fill('A note');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByRole('heading', { name: 'A person would be asked' }).waitFor();
      await page.getByRole('row', { name: /tier-4-external decided/ }).waitFor();
      expect(await ui.server.crib.approvals.list()).toEqual([]);
      expect(page.complaints).toEqual([]);
    });

    it('policy: a tool name typed before the list of tools has loaded is used', async () => {
      const page = await enter();
      let release: (() => void) | undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/v1/tools?*', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${ui.server.url}/#/policy/explain`);
      await page.getByLabel('Tool', { exact: true }).fill('publish_note');
      release?.();
      await page.getByRole('button', { name: 'Explain', exact: true }).waitFor();
      expect(new URL(page.url()).hash).toBe('#/policy/explain?tool=publish_note');
    });

    it('servers: a server is tested, and restarted after a confirmation', async () => {
      const page = await enter('#/sources');
      await page.getByRole('link', { name: 'words' }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText(/words answers in .+ and has 1 tool\./).waitFor();
      const pid = () => ui.server.crib.servers.list().find(({ name }) => name === 'words')?.pid;
      const before = pid();
      await page.getByRole('button', { name: 'Restart' }).click();
      expect(pid()).toBe(before);
      await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
      await page.getByText('words was restarted: ready.').waitFor();
      expect(pid()).not.toBe(before);
      await page
        .getByRole('definition')
        .filter({ hasText: String(pid()) })
        .waitFor();
    });

    it('settings: a new token is shown once and works until it is revoked', async () => {
      const page = await enter('#/settings/tokens');
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByRole('button', { name: 'Create the token' }).click();
      await page.getByText('1 to 64 letters').waitFor();
      await page.getByLabel('Name').fill('ci');
      await page.getByLabel('Role').selectOption('viewer');
      await page.getByRole('button', { name: 'Create the token' }).click();
      const token = await page
        .getByRole('figure', { name: 'The new token' })
        .locator('code')
        .innerText();
      const knock = async () =>
        (
          await fetch(`${ui.server.url}/v1/tools`, {
            headers: { authorization: `Bearer ${token}` },
          })
        ).status;
      expect(await knock()).toBe(200);
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(token);
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name').fill('ci');
      await page.getByRole('button', { name: 'Create the token' }).click();
      await page.getByRole('dialog').getByText('A token of this name is in use.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Revoke ci' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('row', { name: /^ci .*revoked/ }).waitFor();
      expect(await knock()).toBe(401);
      expect(page.complaints).toEqual([]);
    });

    it('settings: a grant is revoked', async () => {
      await ui.server.crib.permissions.grant({
        subject: { user: 'ada' },
        resource: 'tool:publish_note',
        actions: ['publish'],
        skipsApproval: true,
        by: 'local',
      });
      const page = await enter('#/settings/permissions');
      await page.getByRole('button', { name: 'Revoke tool:publish_note of user ada' }).click();
      await page.getByRole('button', { name: 'Take it back' }).click();
      await page.getByText('No standing permissions').waitFor();
      expect(await ui.server.crib.permissions.list()).toEqual([]);
    });

    it('settings: each setting shows its value, where it was set, and its default', async () => {
      const page = await enter('#/settings');
      await page.getByText('budget', { exact: true }).waitFor();
      await page.getByLabel('Only what differs from the default').check();
      await page.getByText('budget.dailyUsd', { exact: true }).waitFor();
      const budget = page.locator('.setting').filter({ hasText: 'budget.dailyUsd' });
      await budget.getByText('config.yml').waitFor();
      await budget.getByText('10', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Health' }).click();
      await page.getByRole('region', { name: 'Doctor' }).getByText(process.version).waitFor();
    });
  },
);
