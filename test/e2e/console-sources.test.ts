/** The sources page in a real browser: an API is looked at, added, read again and removed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

const LAMPS = join(import.meta.dirname, '../fixtures/lamps.yaml');

describe.skipIf(!hasBrowser())('the sources page of an admin', { timeout: SLOW }, () => {
  const house = useConsole();
  const config = () => readFileSync(join(house.server.home, 'config.yml'), 'utf8');

  it('looks at an API, adds it, shows what changed after reading it again, and removes it', async () => {
    const document = join(house.server.folder, 'lamps.yaml');
    copyFileSync(LAMPS, document);
    const page = await house.enter('#/sources');
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('lamps.yaml');
    await dialog.getByLabel('Name').fill('lamps');
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await dialog.getByRole('cell', { name: 'remove_lamp' }).waitFor();
    await dialog.getByText('lamps.example.com').waitFor();
    expect(config()).not.toContain('lamps');
    await dialog.getByRole('button', { name: 'Add the source' }).click();
    await page.getByText('lamps was added.').waitFor();
    expect(config()).toContain('lamps.yaml');
    await page.getByRole('link', { name: 'lamps', exact: true }).click();
    writeFileSync(document, readFileSync(document, 'utf8').replace('list_lamps', 'show_lamps'));
    await page.getByRole('button', { name: 'Read again' }).click();
    const change = page.getByRole('status').filter({ hasText: 'show_lamps' });
    await change.waitFor();
    expect(await change.innerText()).toMatch(
      /Added[\s\S]*show_lamps[\s\S]*Removed[\s\S]*list_lamps/,
    );
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('lamps was removed.').waitFor();
    expect(config()).not.toContain('lamps');
    expect(page.complaints).toEqual([]);
  });

  it('says why an API cannot be read, and adds nothing', async () => {
    const page = await house.enter('#/sources');
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('none.yaml');
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(config()).not.toContain('none.yaml');
  });
});
