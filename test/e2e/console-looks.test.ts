/**
 * Every page of the console in light, in dark and at the width of a phone: no serious fault that
 * axe can find, nothing that sticks out at the side, and no complaint of the browser. With
 * TOOLCRIB_SCREENSHOTS set, pictures of all of them are left in that folder.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { checkLook, faultsOf, LOOKS, take } from '../fixtures/console-looks.ts';
import type { ConsoleServer } from '../fixtures/console-server.ts';
import { AGENT, useConsole } from '../fixtures/use-console.ts';

const SLOW = 240_000;
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

describe.skipIf(!hasBrowser())('the looks of the console', { timeout: SLOW }, () => {
  const house = useConsole();
  let ids: Awaited<ReturnType<typeof fill>>;

  beforeAll(async () => {
    // Calls are timed while somebody looks.
    const watcher = await house.enter();
    ids = await fill(house.server);
    await watcher.context().close();
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
      ['tools-figures', '#/tools/calculator?tab=figures&period=1h'],
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

  it.each(LOOKS)('$name', async ({ name, rules, ...look }) => {
    const page = await house.enter(undefined, { ...look, reducedMotion: 'reduce' });
    const faults: string[] = [];
    for (const [place, hash] of await placesOf(page)) {
      await page.goto(`${house.server.url}/${hash}`);
      const own = await checkLook(page, `${place}-${name}`, rules);
      faults.push(...own.map((fault) => `${place} ${fault}`));
    }
    expect([...faults, ...page.complaints]).toEqual([]);
  });

  it.each(LOOKS)('the sign-in page, $name', async ({ name, rules, ...look }) => {
    const page = await house.open(look);
    await page.goto(`${house.server.url}/`);
    await page.getByLabel('One-time code').waitFor();
    await take(page, `sign-in-${name}`);
    expect(await faultsOf(page, rules)).toEqual([]);
  });
});
