/** The threat: resources, prompts and completions of MCP servers are a way around rules, lists, labels and the record. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSurface, type TestSurface } from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { CribOptions } from '../crib-options.ts';

const PROGRAM = join(
  import.meta.dirname,
  '../../../test/fixtures/mcp-servers/forwarding-server.mjs',
);
const NOTE = 'note:///a?b#c';

let open: TestSurface | undefined;
afterEach(() => open?.close());

const sent: unknown[] = [];
const send = aTool({
  name: 'send',
  tier: 'external_api',
  run: ((input: unknown) => void sent.push(input)) as never,
});

const opened = async (options: CribOptions = {}, servers?: readonly string[]) => {
  const server = { command: process.execPath, args: [PROGRAM] };
  open = await openSurface([send], servers ? { servers } : {}, {
    ...options,
    config: { mcp: { servers: { notes: server, other: server } } },
  });
  return open;
};

const ada: CallAs = { userId: 'ada', agentId: 'bot', sessionId: 's1', roles: ['agent'] };
const readAs = async (as: CallAs, uri = NOTE) =>
  (await opened()).crib.servers.readResource('notes', uri, as);

describe('threat: reading a server beside its tools', { timeout: 60_000 }, () => {
  it('hostile: a caller with a list of tools reads nothing of a server that its list does not name', async () => {
    const limited = { ...ada, permissions: ['tool:send'], tools: ['send'] };
    const { crib } = await opened();
    const denied = { code: 'PERMISSION_DENIED' };
    await expect(crib.servers.readResource('notes', NOTE, limited)).rejects.toMatchObject(denied);
    await expect(crib.servers.getPrompt('notes', 'greet', {}, limited)).rejects.toMatchObject(
      denied,
    );
    const asked = { of: { prompt: 'greet' }, argument: 'who', typed: 'A' };
    await expect(crib.servers.complete('notes', asked, limited)).rejects.toMatchObject(denied);
    const rows = await crib.audit.query({ userId: 'ada' });
    expect(rows.map(({ tool, code }) => `${tool} ${code}`)).toEqual(
      Array.from({ length: 3 }, () => 'toolcrib:server PERMISSION_DENIED'),
    );
  });

  it('benign: a caller whose list names the server reads it', async () => {
    const named = { ...ada, permissions: ['tool:server:notes'], tools: ['server:notes'] };
    expect(await readAs(named)).toMatchObject([{ uri: NOTE }]);
  });

  it('hostile: a rule that denies holds', async () => {
    const rules = [{ name: 'none', effect: 'deny' as const, tools: ['toolcrib:server'] }];
    const { crib } = await opened({ policy: { version: 1, rules } });
    await expect(crib.servers.readResource('notes', NOTE, ada)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('hostile: what was read cannot be sent on unasked, and is on record', async () => {
    const rules = [{ name: 'all', effect: 'allow' as const }];
    const { crib } = await opened({ policy: { version: 1, rules } });
    expect((await crib.execute('send', { before: true }, ada)).success).toBe(true);
    await crib.servers.readResource('notes', NOTE, ada);
    const after = await crib.execute('send', { after: true }, ada);
    expect([after.status, sent.splice(0)]).toEqual(['pending', [{ before: true }]]);
    const [row] = await crib.audit.query({ tool: 'toolcrib:server', kind: 'outcome' });
    expect(row).toMatchObject({ userId: 'ada', status: 'success' });
    expect(JSON.stringify(row?.detail)).toContain('note:///a');
  });

  it('hostile: private words do not leave in the address of a resource; those that it lists can be read', async () => {
    const { crib } = await opened();
    await crib.servers.readResource('notes', NOTE, ada);
    await crib.servers.readResource('notes', NOTE, ada);
    const out = crib.servers.readResource('notes', 'note:///x/the-secret', ada);
    await expect(out).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const asked = { of: { prompt: 'greet' }, argument: 'who', typed: 'the-secret' };
    const typed = crib.servers.complete('notes', asked, ada);
    await expect(typed).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    for (const { id } of await crib.approvals.list()) {
      await crib.approvals.decide(id, { approve: true, by: 'a person' });
    }
    const read = () => crib.servers.readResource('notes', 'note:///x/the-secret', ada);
    expect(await read()).toMatchObject([{ text: 'read note:///x/the-secret' }]);
    await expect(read()).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
  });

  it('hostile: a surface that is limited to one server hands nothing out of the others', async () => {
    const { client } = await opened({}, ['notes']);
    const one = await client('legacy');
    const { resources } = await one.listResources();
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.includes('servers/'));
    expect(uris.every((uri) => uri.includes('servers/notes/'))).toBe(true);
    expect(uris).not.toEqual([]);
    const uri = `toolcrib://servers/other/${encodeURIComponent(NOTE)}`;
    await expect(one.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    const { prompts } = await one.listPrompts();
    expect(prompts.map(({ name }) => name)).not.toContain('other.greet');
    await expect(one.getPrompt({ name: 'other.greet' })).rejects.toThrow();
  });

  it('benign: the program itself reads as it reads anything else', async () => {
    const { crib } = await opened();
    expect(await crib.servers.readResource('notes', NOTE)).toMatchObject([{ uri: NOTE }]);
    expect(await crib.audit.query({ tool: 'toolcrib:server' })).toEqual([]);
  });
});
