/** The client's side of a team's catalog in a real browser: what was joined, and syncing it now. */
import { afterAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../fixtures/console-browser.ts';
import { deniesTool, shoutTool, TeamWorld } from '../fixtures/team-server.ts';
import { SLOW, useConsole } from '../fixtures/use-console.ts';

describe.skipIf(!hasBrowser())('the catalog page of a member', { timeout: SLOW }, () => {
  const world = new TeamWorld();
  afterAll(() => world.close());
  let stop: () => Promise<void>;
  const house = useConsole([], async () => {
    ({ stop } = await world.start());
    await world.publish(deniesTool('datetime'));
    const token = await world.token('laptop', 'viewer');
    const { body } = await world.ask<{ publicKey: string }>('/key', token);
    const teams = { enabled: true, url: world.url, orgId: 'acme', key: body.publicKey };
    return { config: { teams }, secrets: { TEAM_CATALOG_TOKEN: token } };
  });

  it('shows the team, syncs now, and says what stays in force when the server is away', async () => {
    const page = await house.enter('#/catalog');
    const membership = page.getByRole('region', { name: 'Membership' });
    await membership.getByText(world.url).waitFor();
    await membership.getByRole('definition').filter({ hasText: /^1$/ }).first().waitFor();
    await page.getByRole('row', { name: /team-rule/ }).waitFor();
    await world.publish({ kind: 'tool', name: 'shout.yml', text: shoutTool() });
    await page.getByRole('button', { name: 'Sync now' }).click();
    const change = page.getByRole('status').filter({ hasText: 'shout' });
    await change.waitFor();
    expect(await change.innerText()).toMatch(/Added \(1\)[\s\S]*shout/);
    await page.getByRole('row', { name: /shout\.yml/ }).waitFor();
    await page.getByRole('link', { name: 'team:acme' }).click();
    await page.getByRole('heading', { name: 'team:acme' }).waitFor();
    await stop();
    await page.goto(`${house.server.url}/#/catalog/team`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('heading', { name: 'The last sync failed' }).waitFor();
    await page.getByText('Bundle 2 stays in force.').waitFor();
    expect(page.complaints).toEqual([]);
  });
});
