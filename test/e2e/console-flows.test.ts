/**
 * The flows page in a real browser: a run is started from its form, watched, answered and ended. With
 * TOOLCRIB_SCREENSHOTS set, pictures of it are left in that folder.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineFlow } from '../../src/contract/define-flow.ts';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { faultsOf, take } from '../fixtures/console-looks.ts';
import { aTool } from '../fixtures/test-crib.ts';
import { AGENT, SLOW, useConsole } from '../fixtures/use-console.ts';

const sums = defineFlow({
  name: 'sums',
  version: '1.0.0',
  description: 'Adds numbers up, then asks a person.',
  input: {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1, maximum: 5 } },
    required: ['count'],
    additionalProperties: false,
  },
  run: async (flow, { count }: { count: number }) => {
    await flow.call('calculator', { expression: '1 + 1' });
    await flow.all(
      Array.from({ length: count }, (_, n) => () => {
        return flow.call('calculator', { expression: `${n} * 2` });
      }),
    );
    const { approved } = await flow.waitForApproval('Publish the sums?', { count });
    return { approved, count };
  },
});

const billing = defineFlow({
  name: 'billing',
  version: '1.0.0',
  run: async (flow) => ({ paid: await flow.waitForEvent('paid') }),
});

const declared = {
  name: 'declared',
  version: '1.0.0',
  description: 'Two calculations, then a question.',
  kind: 'dag' as const,
  steps: [
    { id: 'one', call: 'calculator', input: { expression: '1 + 1' } },
    { id: 'two', call: 'calculator', input: { expression: '2 + 2' } },
    { id: 'sure', approve: 'Go on?', after: ['one', 'two'] },
    { id: 'last', call: 'calculator', after: ['sure'], input: { expression: '3 + 3' } },
  ],
};

const note = (title: string) => ({
  call: 'publish_note',
  input: { title, body: 'One', target: { channel: 'general' } },
});
const saving = {
  name: 'saving',
  version: '1.0.0',
  steps: [
    { id: 'one', ...note('First') },
    { id: 'two', ...note('Second') },
  ],
};

const failing = defineFlow({
  name: 'failing',
  version: '1.0.0',
  run: (flow) => flow.call('read_file', { path: '../outside\u202E.txt' }),
});

describe.skipIf(!hasBrowser())('the flows page', { timeout: SLOW }, () => {
  const house = useConsole();
  const flows = () => house.server.crib.flows;

  beforeAll(async () => {
    for (const flow of [sums, billing, failing]) flows().register(flow);
    await flows().registerData(declared);
    await flows().registerData(saving);
  }, SLOW);

  it('starts a run from the form, shows its steps, and goes on when a person answers', async () => {
    const page = await house.enter('#/flows');
    await take(page, 'flows-list');
    await page.getByRole('listitem').filter({ hasText: 'sums' }).getByText('Run…').click();
    await page.getByRole('button', { name: 'Start the run' }).click();
    expect(await page.getByLabel('count').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('count').fill('3');
    await page.getByRole('button', { name: 'Start the run' }).click();
    const graph = page.getByRole('region', { name: 'Steps of the run' });
    await graph.getByRole('button', { name: /approval/ }).waitFor();
    await expect.poll(() => graph.locator('.graph-done').count(), { timeout: 20_000 }).toBe(4);
    await graph
      .getByRole('button', { name: /calculator/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    const step = page.getByRole('region', { name: 'Step 1' });
    await step.getByText('1 + 1').first().waitFor();
    await step.getByText('Stages').waitFor();
    await take(page, 'flows-run-light');
    await page.getByRole('link', { name: 'a person’s answer' }).click();
    const question = page.getByRole('region', { name: /^Question/ });
    await question.getByRole('heading', { name: 'Publish the sums?' }).waitFor();
    expect(await question.getByText('A flow asks a person before it goes on.').count()).toBe(2);
    await page.getByRole('table', { name: 'Questions' }).getByText('flow sums').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page
      .getByText(/Approved/)
      .first()
      .waitFor();
    await page.goBack();
    await page.locator('.split-detail .badge', { hasText: 'completed' }).waitFor();
    await page.getByLabel('Output of the run').getByText('"approved"').waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('plans a declared flow, and draws all its steps while it runs', async () => {
    const page = await house.enter('#/flows/start/declared');
    await page.getByRole('button', { name: 'Plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('Go on?').waitFor();
    await plan.getByText('Nothing was run.').waitFor();
    await take(page, 'flows-plan');
    await page.getByRole('button', { name: 'Start the run' }).click();
    const graph = page.getByRole('region', { name: 'Steps of the run' });
    await expect.poll(() => graph.locator('.graph-done').count(), { timeout: 20_000 }).toBe(2);
    await expect.poll(() => graph.locator('.react-flow__edge').count()).toBe(3);
    await expect.poll(() => graph.locator('.graph-planned').count(), { timeout: 20_000 }).toBe(1);
    await graph.getByRole('button', { name: /^last:/ }).click();
    await page.getByText('This step has not begun.').waitFor();
    await graph.getByRole('button', { name: /^one:/ }).click();
    await page.getByRole('region', { name: 'Step one' }).getByText('"1 + 1"').first().waitFor();
    await take(page, 'flows-declared');
    expect(page.complaints).toEqual([]);
  });

  it('shows the faults of a flow whose tool is gone, and neither time nor cost', async () => {
    const { tools } = house.server.crib;
    tools.register(aTool({ name: 'short_lived' }));
    await flows().registerData({
      name: 'orphan',
      version: '1.0.0',
      steps: [
        { id: 'sum', call: 'calculator', input: { expression: '1 + 1' } },
        { id: 'send', call: 'short_lived', input: {} },
      ],
    });
    await tools.unregister('short_lived');
    const page = await house.enter('#/flows/start/orphan');
    await page.getByRole('button', { name: 'Plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan
      .getByRole('list', { name: 'Faults' })
      .getByText(/short_lived/)
      .waitFor();
    await plan.getByText('The flow cannot be run.').waitFor();
    expect(await plan.getByRole('table').count()).toBe(0);
    expect(await plan.getByText('Cost', { exact: true }).count()).toBe(0);
    await take(page, 'flows-plan-faults');
    expect(page.complaints).toEqual([]);
  });

  it('asks once for all calls of a plan, and starts the run that was approved', async () => {
    const page = await house.enter('#/flows/start/saving');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByRole('button', { name: 'Ask once for all of it' }).click();
    const link = page.getByRole('link', { name: 'decide about it' });
    await link.waitFor();
    await take(page, 'flows-plan-approval');
    const address = await link.getAttribute('href');
    const start = page.getByRole('button', { name: 'Start the approved run' });
    await start.click();
    await page
      .locator('.toast-bad', { hasText: /approv/i })
      .first()
      .waitFor();
    const inbox = await house.enter(address ?? '');
    await take(inbox, 'flows-plan-question');
    await inbox.getByRole('button', { name: 'Approve', exact: true }).click();
    await inbox
      .getByText(/Approved/)
      .first()
      .waitFor();
    await start.click();
    await page.locator('.split-detail .badge', { hasText: 'completed' }).waitFor();
    expect(await flows().list({ flow: 'saving' })).toHaveLength(1);
  });

  it('sends the event that a run waits for', async () => {
    const { runId } = await flows().start('billing', null, AGENT);
    const page = await house.enter(`#/flows/run/${runId}`);
    await page.getByRole('button', { name: 'Send an event' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel(/^Event/).inputValue()).toBe('paid');
    await dialog.getByLabel('What it brings').fill('{not json');
    await dialog.getByRole('button', { name: 'Send the event' }).click();
    await dialog.getByText('This is not JSON.').waitFor();
    await dialog.getByLabel('What it brings').fill('{"invoice": 7}');
    await dialog.getByRole('button', { name: 'Send the event' }).click();
    await page.locator('.split-detail .badge', { hasText: 'completed' }).waitFor();
    expect(await flows().finished(runId)).toMatchObject({ output: { paid: { invoice: 7 } } });
    expect(page.complaints).toEqual([]);
  });

  it('cancels a run after a question', async () => {
    const { runId } = await flows().start('billing', null, AGENT);
    const page = await house.enter(`#/flows/run/${runId}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.locator('.split-detail .badge', { hasText: 'cancelled' }).waitFor();
    expect(await flows().get(runId)).toMatchObject({ status: 'cancelled' });
  });

  it('a run that does not exist is said to be missing', async () => {
    const page = await house.enter('#/flows/run/nothing');
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor();
  });

  it('the graph of a run still fits once the window was made narrow', async () => {
    const { runId } = await flows().start('sums', { count: 5 }, AGENT);
    const page = await house.enter(`#/flows/run/${runId}`, {
      viewport: { width: 1440, height: 900 },
    });
    await page.locator('.graph-step').nth(5).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const spare = () =>
      page.locator('.graph').evaluate((frame) => {
        const { right } = frame.getBoundingClientRect();
        const ends = [...frame.querySelectorAll('.graph-step')].map((step) =>
          Math.ceil(step.getBoundingClientRect().right),
        );
        return right - Math.max(...ends);
      });
    await expect.poll(spare, { timeout: 10_000 }).toBeGreaterThanOrEqual(0);
    await flows().cancel(runId);
  });

  it.each([
    ['phone', { viewport: { width: 390, height: 844 } }],
    ['tablet-dark', { viewport: { width: 820, height: 1000 }, colorScheme: 'dark' as const }],
    ['wide-dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' as const }],
  ])('fits and has no serious fault: %s', async (name, look) => {
    const { runId } = await flows().start('sums', { count: 3 }, AGENT);
    const failed = await flows().start('failing', null, AGENT);
    await failed.finished;
    const page = await house.enter(`#/flows/run/${runId}?step=1`, {
      ...look,
      reducedMotion: 'reduce',
    });
    await page.getByRole('region', { name: 'Step 1' }).waitFor();
    for (const [place, hash] of [
      ['run', ''],
      ['failed', `#/flows/run/${failed.runId}?step=1`],
      ['list', '#/flows'],
      ['start', '#/flows/start/sums'],
    ] as const) {
      if (hash !== '') await page.goto(`${house.server.url}/${hash}`);
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 30_000 }).toBe(0);
      await take(page, `flows-${place}-${name}`);
      expect(await faultsOf(page, {})).toEqual([]);
      const spare = await page.evaluate('innerWidth - document.documentElement.scrollWidth');
      expect(Number(spare)).toBeGreaterThanOrEqual(0);
    }
    expect(page.complaints).toEqual([]);
    await flows().cancel(runId);
  });
});
