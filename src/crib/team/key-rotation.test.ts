import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deniesTool, QUIET, TeamWorld } from '../../../test/fixtures/team-server.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { SignedBundle } from '../../contract/team.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';
import { rotateTeamKey } from './open-team-catalog.ts';

const TIME_LIMIT = 90_000;

let world: TeamWorld;
beforeEach(() => {
  world = new TeamWorld();
});
afterEach(() => world.close());

it(
  'a client accepts a key that the previous key signed, and no longer accepts the previous key',
  async () => {
    const home = join(world.folder, 'server');
    const store = { sqlite: join(world.folder, 'server.db') };
    const first = await world.start({ store, home });
    await world.publish(deniesTool('datetime'));
    await (await world.client()).close();
    const bundleFile = join(world.home(), 'teams', 'bundle.json');
    const before = JSON.parse(readFileSync(bundleFile, 'utf8')) as SignedBundle;
    await first.stop();
    const old = join(world.folder, 'old.pem');
    renameSync(join(home, 'keys', 'signing.pem'), old);
    const env = { TOOLCRIB_HOME: home, TOOLCRIB_SERVER_CATALOG_ORG: 'acme' };
    const { config } = await loadConfig({ cwd: world.folder, env });
    const runtime = createRuntime({ log: QUIET });
    const crib = await createCribHost({ store, settings: config, home, runtime });
    await expect(
      rotateTeamKey({ crib, config, runtime, home }, join(home, 'none'), LOCAL_CALLER),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const published = await rotateTeamKey({ crib, config, runtime, home }, old, LOCAL_CALLER);
    expect(published.serial).toBe(2);
    await crib.close();
    world.forgetTokens();
    const second = await world.start({ store, home });
    const client = await world.client();
    await client.sources.refresh('team:acme');
    expect(client.sources.list()[0]).toMatchObject({ state: 'ready' });
    await client.close();
    await second.stop();
    const after = JSON.parse(readFileSync(bundleFile, 'utf8')) as SignedBundle;
    expect([after.publicKey === before.publicKey, after.handovers.length]).toEqual([false, 1]);
    writeFileSync(bundleFile, JSON.stringify({ ...before, handovers: after.handovers }));
    world.url = 'http://127.0.0.1:9';
    const fooled = await world.client();
    expect(fooled.sources.list()[0]).toMatchObject({ state: 'failed' });
    expect((await fooled.execute('calculator', { expression: '1+1' })).error?.code).toBe(
      'PERMISSION_DENIED',
    );
  },
  TIME_LIMIT,
);
