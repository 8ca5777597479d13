/** The APIs of a team on a client: less reach than those of the user, and the user's names stay. */
import { describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { parseConfig } from '../../config/load/parse-config.ts';
import type { ManagedSource } from '../../contract/sources.ts';
import type { TeamClient, TeamSource } from '../../contract/team.ts';
import type { Tool } from '../../contract/tool.ts';
import type { OpenedSources } from '../sources/open-sources.ts';
import { limitedApi, openTeamApis, type TeamApisDeps } from './open-team-apis.ts';

const apiOf = (tools: readonly Tool[]): ManagedSource & { readonly closed: () => number } => {
  let closed = 0;
  return {
    kind: 'external',
    label: 'openapi:shop',
    load: async () => tools,
    close: async () => {
      closed += 1;
    },
    closed: () => closed,
    refresh: async () => ({ added: ['a'], removed: [], changed: [] }),
    status: () => ({
      name: 'shop',
      kind: 'openapi',
      state: 'ready',
      location: 'https://shop.example.com',
      tools: tools.length,
      refused: [],
    }),
  };
};

const GOOD = aTool({ name: 'list', needs: { hosts: ['shop.example.com'] } });

describe('limitedApi', () => {
  it('gives the tools that stay within their reach, under the name of the team', async () => {
    const api = apiOf([GOOD]);
    const limited = limitedApi(api, { org: 'acme', granted: [] });
    expect((await limited.load()).map(({ name }) => name)).toEqual(['list']);
    expect(limited.status()).toMatchObject({ team: 'acme', tools: 1, refused: [], state: 'ready' });
    expect(await limited.refresh(AbortSignal.timeout(1000))).toMatchObject({ added: ['a'] });
    expect(limited.watch?.(() => undefined)).toBeTypeOf('function');
    await limited.close?.();
    expect(api.closed()).toBe(1);
  });

  it.each<[string, Pick<Tool, 'needs' | 'auth'>, string]>([
    ['programs of this machine', { needs: { commands: ['git status'] } }, 'runs no programs'],
    ['hosts on this machine', { needs: { localHosts: ['127.0.0.1'] } }, 'no hosts on this machine'],
    ['a secret that nobody granted', { needs: { secrets: ['GITHUB_TOKEN'] } }, 'GITHUB_TOKEN'],
    [
      'a login that nobody granted',
      { auth: { type: 'bearer_token', required: true, configKey: 'SHOP' } },
      'SHOP',
    ],
  ])('threat: leaves out a tool that wants %s, and says why', async (_, more, reason) => {
    const bad: Tool = { ...aTool({ name: 'bad' }), ...more };
    const limited = limitedApi(apiOf([GOOD, bad]), { org: 'acme', granted: ['OTHER'] });
    expect((await limited.load()).map(({ name }) => name)).toEqual(['list']);
    expect(limited.status()).toMatchObject({
      tools: 1,
      refused: [{ name: 'bad', reason: expect.stringContaining(reason) }],
    });
  });

  it('gives a tool whose secret the user granted', async () => {
    const tool = aTool({ name: 'paid', needs: { secrets: ['SHOP_KEY'] } });
    const limited = limitedApi(apiOf([tool]), { org: 'acme', granted: ['SHOP_KEY'] });
    expect(await limited.load()).toHaveLength(1);
  });
});

describe('openTeamApis', () => {
  const client = { state: () => ({ org: 'acme' }) } as TeamClient;
  const entry = (name: string): TeamSource => ({
    kind: 'source',
    name,
    type: 'openapi',
    settings: { document: 'https://shop.example.com/openapi.json' },
  });
  const config = parseConfig({
    teams: { secrets: ['SHOP_KEY'] },
    sources: { openapi: { mine: { document: 'https://mine.example.com/openapi.json' } } },
  });

  const opening = (fail?: string) => {
    const asked: unknown[] = [];
    const opened: Pick<OpenedSources, 'openForeign'> = {
      openForeign: async (...args) => {
        asked.push(args);
        return apiOf([GOOD]);
      },
    };
    const deps: TeamApisDeps = {
      config,
      opened: async () => opened as OpenedSources,
      check: async (kind, _name, settings) => {
        if (fail !== undefined) throw new Error(fail);
        return [kind as 'openapi', settings as never];
      },
    };
    return { deps, asked };
  };

  it('opens the APIs as foreign ones, with the granted secrets alone', async () => {
    const { deps, asked } = opening();
    const [api] = await openTeamApis({ apis: [entry('shop')], client }, deps);
    const own = { settings: entry('shop').settings, secrets: ['SHOP_KEY'] };
    expect([asked, api?.status().team]).toEqual([[['openapi', 'shop', own]], 'acme']);
  });

  it('threat: an API of the team does not take the name of one of the user', async () => {
    const { deps, asked } = opening();
    expect(await openTeamApis({ apis: [entry('mine')], client }, deps)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('reports settings that are not valid here, and opens the others', async () => {
    const { deps } = opening('no such setting');
    const [failed] = await openTeamApis({ apis: [entry('shop')], client }, deps);
    expect(await failed?.load()).toEqual([]);
    expect(failed?.status()).toMatchObject({
      name: 'shop',
      state: 'failed',
      team: 'acme',
      lastError: 'no such setting',
      tools: 0,
    });
    const change = await failed?.refresh(AbortSignal.timeout(1000));
    expect(change).toEqual({ added: [], removed: [], changed: [] });
  });
});
