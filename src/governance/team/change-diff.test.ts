import { describe, expect, it } from 'vitest';
import type { TeamEntry } from '../../contract/team.ts';
import { changeDiff } from './change-diff.ts';

const rule = (more: object): TeamEntry => ({
  kind: 'rule',
  name: 'careful',
  rule: { name: 'careful', effect: 'ask', ...more },
});

describe('the difference that a proposed change makes', () => {
  it('is the whole entry, added, when nothing of that name is published', async () => {
    const tool: TeamEntry = {
      kind: 'tool',
      name: 'lint.yml',
      text: 'name: lint\nversion: 1.0.0\n',
    };
    expect(await changeDiff([], { action: 'put', entry: tool })).toBe(
      '--- published\n+++ proposed\n@@ -0,0 +1,2 @@\n+name: lint\n+version: 1.0.0\n',
    );
  });

  it('names the lines that change in an entry of the same kind and name', async () => {
    const others: TeamEntry = { kind: 'enforce', name: 'careful' };
    const diff = await changeDiff([others, rule({ tools: ['a'] })], {
      action: 'put',
      entry: rule({ tools: ['b'] }),
    });
    expect(diff.split('\n').filter((line) => /^[+-] /.test(line))).toEqual(['-  - a', '+  - b']);
  });

  it('is empty when only the order of the fields differs', async () => {
    const published: TeamEntry = {
      kind: 'rule',
      name: 'careful',
      rule: { effect: 'ask', tools: ['a'], name: 'careful' },
    };
    const entry = rule({ tools: ['a'] });
    expect(await changeDiff([published], { action: 'put', entry })).toBe('');
  });

  it('takes away all lines of an entry that is removed', async () => {
    const entry: TeamEntry = { kind: 'revoke', name: 'shell' };
    expect(await changeDiff([entry], { action: 'remove', kind: 'revoke', name: 'shell' })).toBe(
      '--- published\n+++ proposed\n@@ -1,1 +0,0 @@\n-revoke shell\n',
    );
  });

  it('shows the type of an API beside its settings', async () => {
    const entry: TeamEntry = {
      kind: 'source',
      name: 'shop',
      type: 'openapi',
      settings: { document: 'https://shop.example/api.json' },
    };
    const diff = await changeDiff([entry], { action: 'put', entry: { ...entry, type: 'graphql' } });
    expect(diff).toContain('-type: openapi\n+type: graphql\n');
  });
});
