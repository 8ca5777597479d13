/** The jobs page of the console in a real browser: queues, dead letters, putting back, schedules. */
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../src/contract/errors.ts';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('the jobs page of the console', { timeout: SLOW }, () => {
  const house = useConsole();
  const payload = { tool: 'calculator', input: { expression: '6*7' } };

  it('shows what to do while there are no jobs', async () => {
    const page = await house.enter('#/jobs');
    await page.getByRole('heading', { name: 'There are no jobs yet' }).waitFor();
    expect(await page.getByText('toolcrib worker').count()).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('shows a dead job with its reason, puts it back, and shows its result', async () => {
    const { jobs } = house.server.crib;
    let isBroken = true;
    jobs.register('fragile', async (_, context) => {
      if (isBroken) throw new Error('The press is jammed.');
      return context.call('calculator', { expression: '6*7' });
    });
    await jobs.enqueue('tool', payload, { ...AGENT, delayMs: 86_400_000 });
    const id = await jobs.enqueue('fragile', { part: 7 }, { ...AGENT, retries: 0 });
    const workers = await jobs.work({ queues: ['default'] });
    await expect.poll(async () => (await jobs.get(id))?.state, { timeout: 30_000 }).toBe('dead');

    const page = await house.enter('#/jobs?state=dead');
    await page.getByRole('table', { name: 'Queues' }).waitFor();
    await page.getByRole('link', { name: 'fragile' }).click();
    const detail = page.getByRole('region', { name: `Job ${id}` });
    await detail.getByText('The press is jammed.').waitFor();
    await detail.getByText('1 of 1').waitFor();
    // The count of a queue leads to exactly these jobs, and the filter can be seen and taken away.
    await page.goto(`${house.server.url}/#/jobs`);
    await page
      .getByRole('row', { name: /^default/ })
      .getByRole('link', { name: '1' })
      .last()
      .click();
    const listed = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
    await expect.poll(() => listed.count()).toBe(1);
    await listed.getByText('fragile').waitFor();
    await page.getByRole('button', { name: /^Only queue default/ }).click();
    expect(new URL(page.url()).hash).toBe('#/jobs?state=dead');
    await listed.getByRole('link').click();
    isBroken = false;
    await detail.getByRole('button', { name: 'Put back' }).click();
    await detail.getByRole('heading', { name: 'Result' }).waitFor();
    await detail.getByText('completed').waitFor();
    await workers.close();
    await detail.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove the job' }).click();
    await page.getByText('The job is removed.').waitFor();
    await expect.poll(() => jobs.get(id)).toBeUndefined();
    expect(page.complaints).toEqual([]);
  });

  it('a job that waits for a person leads to its question, and names its tool once it is dead', async () => {
    const { jobs } = house.server.crib;
    const call = { tool: 'file_operations', input: { operation: 'delete', path: 'old.txt' } };
    const id = await jobs.enqueue('tool', call, { ...AGENT, retries: 0 });
    const workers = await jobs.work({ queues: ['default'] });
    await expect
      .poll(async () => (await jobs.get(id))?.waitsFor?.length, { timeout: 30_000 })
      .toBe(1);
    const page = await house.enter(`#/jobs/${id}`);
    await page.getByRole('table', { name: 'Jobs' }).getByText('waits for a person').waitFor();
    const detail = page.getByRole('region', { name: `Job ${id}` });
    expect(await detail.getByText('Not before').count()).toBe(0);
    await detail.getByRole('link', { name: 'a person’s answer' }).click();
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    const [waits = ''] = (await jobs.get(id))?.waitsFor ?? [];
    await house.server.crib.approvals.decide(waits.replace('approval:', ''), {
      ...{ approve: false, by: 'ada' },
    });
    await expect.poll(async () => (await jobs.get(id))?.state, { timeout: 30_000 }).toBe('dead');
    await workers.close();
    await page.goto(`${house.server.url}/#/jobs?state=dead`);
    await page.getByText('file_operations · USER_CANCELLED').waitFor();
    await jobs.remove(id);
    expect(page.complaints).toEqual([]);
  });

  it('a dead job whose call is in doubt leads to that call', async () => {
    const { crib } = house.server;
    const { metadata } = await crib.execute('calculator', { expression: '1' }, AGENT);
    crib.jobs.register('torn', () => {
      throw new ToolFailure('CONFLICT', 'Nobody knows.', { inDoubt: metadata.executionId });
    });
    const id = await crib.jobs.enqueue('torn', null, { ...AGENT, retries: 0 });
    const workers = await crib.jobs.work({ queues: ['default'] });
    await expect
      .poll(async () => (await crib.jobs.get(id))?.state, { timeout: 30_000 })
      .toBe('dead');
    await workers.close();
    const page = await house.enter(`#/jobs/${id}`);
    const detail = page.getByRole('region', { name: `Job ${id}` });
    await detail.getByRole('link', { name: 'Open the call that is in doubt' }).click();
    await page.getByRole('region', { name: /^Call/ }).getByText('calculator').first().waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('cancels a job that waits, and lists and removes a schedule', async () => {
    const { jobs } = house.server.crib;
    const id = await jobs.enqueue('tool', payload, { delayMs: 86_400_000 });
    await jobs.schedule('nightly', { cron: '30 4 * * *', type: 'tool', payload });
    const page = await house.enter(`#/jobs/${id}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('The job is cancelled.').waitFor();
    expect(await jobs.get(id)).toMatchObject({ state: 'cancelled' });
    await page.goto(`${house.server.url}/#/jobs?view=schedules`);
    await page.getByText('30 4 * * *').waitFor();
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isWide).toBe(false);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove the schedule' }).click();
    await page.getByRole('heading', { name: 'Nothing is scheduled' }).waitFor();
    expect(await jobs.schedules()).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});
