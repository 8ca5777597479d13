/**
 * Every page of the console in light, in dark and at the width of a phone: no serious fault that
 * axe can find, nothing that sticks out at the side, and no complaint of the browser. With
 * TOOLCRIB_SCREENSHOTS set, pictures of all of them are left in that folder.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import type { ConsoleServer } from '../fixtures/console-server.ts';
import { AGENT, useConsole } from '../fixtures/use-console.ts';
import { sized } from '../guarantees/size.ts';

const SLOW = 240_000;
const CONTRAST = 'color-contrast';
/** The dark page is the light one in other colours, and that of a phone has its colours. */
const LOOKS = [
  { name: 'light', rules: {}, colorScheme: 'light', viewport: { width: 1400, height: 900 } },
  {
    name: 'dark',
    rules: sized({ runOnly: [CONTRAST] }, {}),
    colorScheme: 'dark',
    viewport: { width: 1400, height: 900 },
  },
  {
    name: 'phone',
    rules: sized({ rules: { [CONTRAST]: { enabled: false } } }, {}),
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
  },
] as const;

const shots = process.env.TOOLCRIB_SCREENSHOTS;

/** Some calls of every outcome, and a question that waits. */
const fill = async ({ crib }: ConsoleServer) => {
  const call = (tool: string, input: unknown) => crib.execute(tool, input, AGENT);
  await call('calculator', { expression: '2 ^ 10' });
  await call('read_file', { path: '../outside.txt' });
  await call('lookup_word', {});
  const document = join(import.meta.dirname, '../fixtures/lamps.yaml');
  await crib.sources.add('openapi', 'lamps', { document });
  const write = await call('write_file', { path: 'notes/plan.md', content: '# Plan\n' });
  const body = 'Everything is faster.\nNothing broke.\u200B';
  const asked = await call('publish_note', {
    title: 'Version 2 is out',
    body,
    tags: ['release'],
    target: { channel: 'releases' },
  });
  return { write: write.metadata.executionId, question: asked.approval?.approvalId ?? '' };
};

/** Serious and critical faults, each with where it is. */
const faultsOf = async (page: Page, rules: object): Promise<readonly string[]> => {
  // Half a megabyte: once per document, which another hash does not change.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  const run = `axe.run(document, ${JSON.stringify(rules)})`;
  const { violations, passes } = (await page.evaluate(run)) as axe.AxeResults;
  // An empty page has no faults either.
  expect(passes.flatMap(({ nodes }) => nodes).length).toBeGreaterThan(5);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
};

/** Nothing loads any more, and what was to be drawn is drawn. */
const settle = async (page: Page): Promise<void> => {
  await page.locator('main h1').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count(), { timeout: 30_000 }).toBe(0);
};

describe.skipIf(!hasBrowser())('the looks of the console', { timeout: SLOW }, () => {
  const house = useConsole();
  let ids: Awaited<ReturnType<typeof fill>>;

  beforeAll(async () => {
    // Calls are timed while somebody looks.
    const watcher = await house.enter();
    ids = await fill(house.server);
    await watcher.context().close();
    if (shots) mkdirSync(shots, { recursive: true });
  }, SLOW);

  /** The pages of the navigation, and what opens from them. */
  const placesOf = async (page: Page): Promise<readonly (readonly [string, string])[]> => {
    const links = await page.locator('nav li a').all();
    const hashes = await Promise.all(links.map((link) => link.getAttribute('href')));
    return [
      ...hashes.map((hash) => [hash?.replace('#/', '') ?? '', hash ?? ''] as const),
      ['activity-call', `#/activity/${ids.write}`],
      ['approvals-question', `#/approvals/${ids.question}`],
      ['tools-try', '#/tools/publish_note'],
      ['tools-about', '#/tools/publish_note?tab=about'],
      ['tools-quarantine', '#/tools/lookup_word'],
      ['sources-server', '#/sources/mcp/words'],
      ['sources-api', '#/sources/openapi/lamps'],
      ['audit-row', '#/audit/1'],
      ['policy-explain', '#/policy/explain?tool=publish_note'],
      ...['tokens', 'people', 'permissions', 'health', 'appearance'].map(
        (tab) => [`settings-${tab}`, `#/settings/${tab}`] as const,
      ),
    ];
  };

  const take = async (page: Page, look: string, place: string): Promise<void> => {
    if (shots) await page.screenshot({ path: join(shots, `${place}-${look}.png`), fullPage: true });
  };

  it.each(LOOKS)('$name', async ({ name, rules, ...look }) => {
    const page = await house.enter(undefined, { ...look, reducedMotion: 'reduce' });
    const faults: string[] = [];
    for (const [place, hash] of await placesOf(page)) {
      await page.goto(`${house.server.url}/${hash}`);
      await settle(page);
      await take(page, name, place);
      faults.push(...(await faultsOf(page, rules)).map((fault) => `${place} ${fault}`));
      const spare = await page.evaluate('innerWidth - document.documentElement.scrollWidth');
      if (Number(spare) < 0) faults.push(`${place} is wider than the window`);
    }
    expect([...faults, ...page.complaints]).toEqual([]);
  });

  it.each(LOOKS)('the sign-in page, $name', async ({ name, rules, ...look }) => {
    const page = await house.open(look);
    await page.goto(`${house.server.url}/`);
    await page.getByLabel('One-time code').waitFor();
    await take(page, name, 'sign-in');
    expect(await faultsOf(page, rules)).toEqual([]);
  });
});
