/** The servers page in a real browser: adding, setting the risk, taking over, removing. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('the servers page of an admin', { timeout: SLOW }, () => {
  const house = useConsole();
  const config = () => readFileSync(join(house.server.home, 'config.yml'), 'utf8');

  it('adds a server, sets the risk of another and removes it, in the file of the user', async () => {
    const page = await house.enter('#/sources');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add the server' }).click();
    await dialog.getByText('Name the program to start.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('notes');
    await dialog.getByLabel('Program', { exact: true }).fill('notes-server');
    await dialog.getByLabel('Arguments').fill('--folder\nmy notes');
    await dialog.getByLabel('Variables').fill('API_TOKEN=sk-canary-1234567890abcdef');
    await dialog.getByRole('button', { name: 'Add the server' }).click();
    await page.getByRole('heading', { name: 'Restart Toolcrib to use these changes' }).waitFor();
    expect(config()).toContain('my notes');
    expect(config()).not.toContain('canary');
    await page.getByRole('link', { name: 'words' }).click();
    await page.getByLabel('Risk of its tools').selectOption('execute');
    await expect.poll(config, { timeout: 20_000 }).toContain('execute');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('words was removed from the configuration.').waitFor();
    expect(config()).not.toContain('words');
    expect(page.complaints).toEqual([]);
  });

  it('takes over what another program has, and shows no secret of it', async () => {
    mkdirSync(join(house.server.home, '.cursor'), { recursive: true });
    const env = { API_TOKEN: 'sk-canary-1234567890abcdef' };
    const theirs = { mcpServers: { search: { command: 'search-server', env } } };
    writeFileSync(join(house.server.home, '.cursor', 'mcp.json'), JSON.stringify(theirs));
    const page = await house.enter('#/sources');
    await page.getByRole('button', { name: 'Import servers…' }).click();
    await page.getByRole('checkbox', { name: /search/ }).check();
    expect(await page.getByRole('dialog').innerText()).not.toContain('canary');
    await page.getByRole('button', { name: 'Import 1' }).click();
    await page.getByText('Imported: search.').waitFor();
    expect(config()).toContain('search-server');
    expect(config()).not.toContain('canary');
  });
});
