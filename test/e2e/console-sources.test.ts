/** The sources page in a real browser: an API is looked at, added, read again and removed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { checkLook, LOOKS } from '../fixtures/console-looks.ts';
import { openEverySource } from '../fixtures/every-source.ts';
import { writePackage } from '../fixtures/package-crib.ts';
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

describe.skipIf(!hasBrowser())('the sources page with every kind', { timeout: SLOW }, () => {
  let close = async (): Promise<void> => undefined;
  const house = useConsole([], async () => {
    const { settings, ...opened } = await openEverySource();
    ({ close } = opened);
    return { config: { sources: settings } };
  });
  afterAll(() => close());
  beforeAll(async () => {
    const { crib, folder } = house.server;
    await crib.packages.install(await writePackage(join(folder, 'counting')));
  }, SLOW);

  it('says how each source is, and what to do about one that is not ready', async () => {
    const page = await house.enter('#/sources');
    const rows = [
      ['lamps', 'openapi', 'ready'],
      ['large', 'openapi', 'ready'],
      ['hostile', 'openapi', 'ready'],
      ['broken', 'openapi', 'failed'],
      ['off', 'openapi', 'disabled'],
      ['shop', 'graphql', 'ready'],
      ['closed', 'graphql', 'needs login'],
      ['desk', 'websocket', 'ready'],
      ['stock', 'grpc', 'ready'],
      ['flows', 'n8n', 'ready'],
      ['counting', 'package', 'ready'],
      ['words', 'mcp', ''],
    ];
    for (const [name = '', kind = '', state = ''] of rows) {
      await page.getByRole('row', { name: new RegExp(`^${name} ${kind} ${state}`) }).waitFor();
    }
    await page.getByRole('link', { name: 'broken', exact: true }).click();
    await page.getByText('Put right what the error names, then read it again.').waitFor();
    await page.getByRole('heading', { name: 'Last error' }).waitFor();
    await page.getByRole('link', { name: 'off', exact: true }).click();
    await page.getByText('toolcrib sources enable off').waitFor();
    await page.getByRole('link', { name: 'closed', exact: true }).click();
    await page.getByText(/toolcrib sources info closed\s+toolcrib sources login closed/).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('says how many tools of a source wait for a person, and leads to exactly these', async () => {
    const page = await house.enter('#/sources/graphql/shop');
    const { tools = 0 } =
      house.server.crib.sources.list().find(({ name }) => name === 'shop') ?? {};
    await page.getByRole('link', { name: `${tools} tools wait` }).click();
    await page.getByText(`${tools} tools`, { exact: true }).waitFor();
    const held = page.getByRole('table', { name: 'Tools' }).locator('tbody tr');
    expect(await held.filter({ hasText: 'external' }).count()).toBe(tools);
  });

  it('1,000 tools do not stop the page, and reading them again says how many changed', async () => {
    const page = await house.enter('#/sources/openapi/large');
    await page.getByText('200 or more tools wait').waitFor();
    const document = house.server.crib.sources.list().find(({ name }) => name === 'large');
    const text = readFileSync(document?.location ?? '', 'utf8');
    writeFileSync(document?.location ?? '', text.replaceAll('get_thing_', 'read_thing_'));
    await page.getByRole('button', { name: 'Read again' }).click();
    const change = page.getByRole('status').filter({ hasText: 'Added (1,000)' });
    await change.waitFor();
    expect(await change.getByRole('listitem').count()).toBe(102);
    await change.getByText('and 950 more').first().waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('hostile names and texts of a source are shown as they are and break nothing', async () => {
    const page = await house.enter('#/sources/openapi/hostile');
    await page.getByRole('link', { name: '3 tools wait' }).click();
    await page.getByText('3 tools', { exact: true }).waitFor();
    const text = await page.locator('main').innerText();
    for (const hidden of ['\u200B', '\u202E', '\u001B']) expect(text).not.toContain(hidden);
    expect(await page.locator('main img').count()).toBe(0);
    const spare = await page.evaluate('innerWidth - document.documentElement.scrollWidth');
    expect(Number(spare)).toBeGreaterThanOrEqual(0);
    expect(page.complaints).toEqual([]);
  });

  it.each(LOOKS)('fits and has no serious fault: $name', async ({ name, rules, ...look }) => {
    const page = await house.enter('#/sources', look);
    const places = [
      ['list', '#/sources'],
      ['failed', '#/sources/openapi/broken'],
      ['login', '#/sources/graphql/closed'],
      ['hostile', '#/sources/openapi/hostile'],
      ['large', '#/sources/openapi/large'],
    ] as const;
    for (const [place, hash] of places) {
      await page.goto(`${house.server.url}/${hash}`);
      expect([place, await checkLook(page, `sources-${place}-${name}`, rules)]).toEqual([
        place,
        [],
      ]);
    }
    expect(page.complaints).toEqual([]);
  });
});
