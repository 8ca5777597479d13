import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import type { Needs } from '../../contract/needs.ts';
import type { SourceDriver } from '../../contract/source-driver.ts';
import { limitedTo } from './open-sources.ts';

const driverOf = (needs?: Needs): SourceDriver => ({
  kind: 'openapi',
  locationOf: () => 'team',
  read: async () => ({ definition: {}, files: [] }),
  build: () => [
    defineTool({
      name: 'a',
      description: 'A tool.',
      tier: 'read_only',
      input: {},
      run: () => 1,
      ...(needs && { needs }),
    }),
  ],
});

const needsOf = (granted: readonly string[], needs?: Needs) =>
  limitedTo(granted, driverOf(needs)).build({}, {} as never, {} as never)?.[0]?.needs;

describe('the tools of a source of a team', () => {
  it('hostile: reach no host of this machine, and no secret that the user did not grant', () => {
    const needs = {
      hosts: ['127.0.0.1:8080'],
      localHosts: ['127.0.0.1:8080'],
      secrets: ['TEAM_KEY', 'GITHUB_TOKEN'],
    };
    expect(needsOf(['TEAM_KEY'], needs)).toEqual({
      hosts: ['127.0.0.1:8080'],
      secrets: ['TEAM_KEY'],
    });
    expect(needsOf([], needs)).toEqual({ hosts: ['127.0.0.1:8080'] });
  });

  it('benign: keep the hosts that they declare', () => {
    expect(needsOf([], { hosts: ['api.example.com'] })).toEqual({ hosts: ['api.example.com'] });
    expect(needsOf([])).toEqual({});
  });
});
