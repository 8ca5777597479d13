import { describe, expect, it } from 'vitest';
import { someSettings } from '../../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ServerSettings } from '../server-settings.ts';
import { assignedFlow } from './flow-labels.ts';

const tool = { name: 'read_mail', tier: 'external_api' } as const;
const confined: NonNullable<ServerSettings['sandbox']> = {
  read: [],
  write: [],
  hosts: [],
  isCwdChosen: false,
};

describe('the labels of a server tool of which the user says nothing', () => {
  it('are untrusted, private and a way out', () => {
    for (const settings of [someSettings(), someSettings({ url: 'https://mail.example/mcp' })]) {
      expect(assignedFlow(settings, tool)).toEqual({
        trust: 'untrusted',
        sensitivity: 'private',
        sink: true,
      });
    }
  });

  it('are no way out for a reader that runs here, and one for a reader elsewhere', () => {
    const reader = { ...tool, tier: 'read_only' } as const;
    expect(assignedFlow(someSettings(), reader).sink).toBe(false);
    expect(assignedFlow(someSettings({ url: 'https://mail.example/mcp' }), reader).sink).toBe(true);
  });

  it('are public and no way out for a confined program that is given nothing', () => {
    expect(assignedFlow(someSettings({ sandbox: confined }), tool)).toMatchObject({
      sensitivity: 'public',
      sink: false,
    });
  });

  it.each([
    ['a folder', { sandbox: { ...confined, read: ['/home/ada'] } }],
    ['a credential', { sandbox: confined, env: { MAIL_TOKEN: 'x' } }],
    ['the workspace', { sandbox: confined, roots: true }],
  ])('are private for a confined program that is given %s', (_what, more) => {
    expect(assignedFlow(someSettings(more), tool).sensitivity).toBe('private');
  });

  it('are a way out for a confined program with hosts', () => {
    const sandbox = { ...confined, hosts: ['api.example.com'] };
    expect(assignedFlow(someSettings({ sandbox }), tool).sink).toBe(true);
  });
});

describe('the labels that the user gives', () => {
  it('hold for the server, and those of a tool for the tool', () => {
    const settings = someSettings({
      labels: { sensitivity: 'public' },
      toolLabels: { read_mail: { sensitivity: 'secret', sink: false } },
    });
    expect(assignedFlow(settings, tool)).toEqual({
      trust: 'untrusted',
      sensitivity: 'secret',
      sink: false,
    });
    expect(assignedFlow(settings, { ...tool, name: 'search' }).sensitivity).toBe('public');
    expect(assignedFlow(settings, { ...tool, name: 'constructor' }).sensitivity).toBe('public');
  });
});
