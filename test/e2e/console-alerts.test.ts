/** The alerts page of the console in a real browser: what fires, a silence, a test, the history. */
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { checkLook, LOOKS, take } from '../fixtures/console-looks.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('the alerts page of the console', { timeout: SLOW }, () => {
  const house = useConsole();

  it('shows how to write an alert while there are none', async () => {
    const page = await house.enter('#/alerts');
    await page.getByRole('heading', { name: 'There are no alerts yet' }).waitFor();
    expect(await page.getByText('calls >= 20 && errorRate > 0.2').count()).toBe(1);
    await take(page, 'alerts-empty');
    expect(page.complaints).toEqual([]);
  });

  it('shows a firing alert, silences it, tests it and lists its notifications', async () => {
    const { crib } = house.server;
    await crib.alerts.set({
      id: 'busy-calculator',
      when: 'calls >= 1',
      each: 'tool',
      severity: 'critical',
      summary: 'A tool is called.',
    });
    await crib.alerts.set({ id: 'dead-jobs', when: 'jobs.dead > 0' });
    await crib.execute('calculator', { expression: '6*7' }, AGENT);
    await crib.alerts.evaluate();

    const page = await house.enter('#/alerts');
    await page.getByRole('table', { name: 'Alerts' }).waitFor();
    await page.getByRole('link', { name: 'busy-calculator' }).click();
    const detail = page.getByRole('region', { name: 'Alert busy-calculator' });
    await detail.getByRole('table', { name: 'What fired' }).waitFor();
    await detail.getByRole('button', { name: 'Silence' }).click();
    await page.getByLabel('For').selectOption('4 hours');
    await page.getByLabel('Note').fill('Maintenance');
    await take(page, 'alerts-silence');
    await page.getByRole('button', { name: 'Silence it' }).click();
    await page.getByText('The alert is silenced.').waitFor();
    await detail.getByText('Maintenance').waitFor();
    const [status] = await crib.alerts.list();
    expect(status).toMatchObject({ id: 'busy-calculator', silence: { note: 'Maintenance' } });

    await detail.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test' });
    await dialog.getByText('holds', { exact: true }).first().waitFor();
    await dialog.getByText('done').waitFor();
    await take(page, 'alerts-test');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await detail.getByRole('button', { name: 'End the silence' }).click();
    await page.getByText('The alert sends notifications again.').waitFor();
    expect((await crib.alerts.list())[0]?.silence).toBeUndefined();

    await page.goto(`${house.server.url}/#/alerts?view=history`);
    await page.getByText('busy-calculator: calculator').waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('offers no change to people with read access only', async () => {
    const page = await house.enterAs('vera', 'viewer', '#/alerts/busy-calculator');
    const detail = page.getByRole('region', { name: 'Alert busy-calculator' });
    await detail.getByText('calls >= 1').waitFor();
    expect(await detail.getByRole('button', { name: 'Silence' }).count()).toBe(0);
    expect(await detail.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
  });

  it.each(LOOKS)('looks right: $name', async ({ name, rules, ...options }) => {
    for (const [label, hash] of [
      ['list', '#/alerts'],
      ['detail', '#/alerts/busy-calculator'],
      ['history', '#/alerts?view=history'],
    ] as const) {
      const page = await house.enter(hash, options);
      expect(await checkLook(page, `alerts-${label}-${name}`, rules)).toEqual([]);
      await page.context().close();
    }
  });
});
