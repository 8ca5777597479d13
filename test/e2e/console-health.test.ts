/** Health in a real browser: all checks under Settings, one tool, one server, and what changes live. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/contract/define-tool.ts';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { checkLook, LOOKS } from '../fixtures/console-looks.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const mood = { healthy: true };

const scale = defineTool({
  name: 'weigh_parcel',
  description: 'Weighs a parcel.',
  tier: 'read_only',
  input: { type: 'object' },
  healthCheck: async () =>
    mood.healthy
      ? { healthy: true, message: 'The scale answers.' }
      : { healthy: false, message: 'The scale does not answer: <b>unplugged</b>' },
  run: () => 'ran',
});

const mailer = defineTool({
  name: 'send_parcel_mail',
  description: 'Writes to the recipient.',
  tier: 'read_only',
  input: { type: 'object' },
  auth: { type: 'api_key', required: true, configKey: 'PARCEL_MAIL_KEY_OF_NOBODY' },
  run: () => 'ran',
});

describe.skipIf(!hasBrowser())('health in the console', { timeout: SLOW }, () => {
  const house = useConsole([scale, mailer]);

  it('checks everything on request, and shows what fails with what to do about it', async () => {
    mood.healthy = true;
    const page = await house.enter('#/settings/health');
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText('Nothing was checked yet.').waitFor();
    await checks.getByRole('button', { name: 'Check now' }).click();
    await checks.getByText('healthy', { exact: true }).waitFor({ timeout: 60_000 });
    await checks.getByText('not set up here').click();
    await checks.getByText('toolcrib secrets set PARCEL_MAIL_KEY_OF_NOBODY').waitFor();
    mood.healthy = false;
    await house.server.crib.health.check('weigh_parcel');
    // By the event alone: nobody pressed anything.
    await checks.getByText('something fails').waitFor();
    await checks.getByText('The scale does not answer: <b>unplugged</b>').waitFor();
    // What was never set up neither works nor fails.
    const [, working = '', all = ''] = /(\d+) of (\d+) work/.exec(await checks.innerText()) ?? [];
    expect(Number(all) - Number(working)).toBe(1);
    await checks.getByRole('link', { name: 'weigh_parcel' }).click();
    const own = page.getByRole('region', { name: 'Health' });
    await own.getByText('unwell', { exact: true }).first().waitFor();
    mood.healthy = true;
    await own.getByRole('button', { name: 'Check now' }).click();
    await own.getByText('The scale answers.').waitFor();
    await own.getByText('3 changes').click();
    expect(await own.getByRole('listitem').filter({ hasText: 'unplugged' }).count()).toBe(1);
    expect(page.complaints).toEqual([]);
  });

  it('shows how a server is on its page', async () => {
    const page = await house.enter('#/sources/mcp/words');
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByRole('button', { name: 'Check now' }).click();
    await health.getByText('words: 1 tool').waitFor();
    await health.getByText('well', { exact: true }).first().waitFor();
    expect(page.complaints).toEqual([]);
  });

  it.each(LOOKS)('looks right: $name', async ({ name, rules, colorScheme, viewport }) => {
    mood.healthy = false;
    await house.server.crib.health.check({ timeoutMs: 20_000 });
    const page = await house.enter('#/settings/health', { colorScheme, viewport });
    await page.getByText('something fails').waitFor();
    await page.getByRole('region', { name: 'Doctor' }).getByText(process.version).waitFor();
    const faults = [...(await checkLook(page, `health-${name}`, rules))];
    await page.goto(`${house.server.url}/#/tools/weigh_parcel?tab=health`);
    await page.getByText('The scale does not answer').first().waitFor();
    faults.push(...(await checkLook(page, `health-tool-${name}`, rules)));
    await page.goto(`${house.server.url}/#/sources/mcp/words`);
    await page.getByRole('region', { name: 'Health' }).getByText('well').first().waitFor();
    faults.push(...(await checkLook(page, `health-server-${name}`, rules)));
    expect(faults).toEqual([]);
  });
});
