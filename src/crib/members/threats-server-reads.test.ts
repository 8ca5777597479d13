/**
 * The threat: resources, prompts and completions of MCP servers are a way around rules, lists, labels and the
 * record.
 */
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { httpClient, openSurface, type TestSurface } from '../../../test/fixtures/mcp-surface.ts';
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

const server = { command: process.execPath, args: [PROGRAM], timeoutMs: 120_000 };

const opened = async (
  options: CribOptions = {},
  surface: Parameters<typeof openSurface>[1] = {},
): Promise<TestSurface> => {
  open = await openSurface([send], surface, {
    config: { mcp: { servers: { notes: server, other: server } } },
    ...options,
  });
  return open;
};

const logsOf = (name = 'notes'): string => (open?.crib.servers.logs(name) ?? []).join('\n');
const stateOf = (name: string): string | undefined =>
  open?.crib.servers.list().find((each) => each.name === name)?.state;
const addressOf = (uri: string, name = 'notes'): string =>
  `toolcrib://servers/${name}/${encodeURIComponent(uri)}`;

const withAbort = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};

const ada: CallAs = { userId: 'ada', agentId: 'bot', sessionId: 's1', roles: ['agent'] };
const readAs = async (as: CallAs, uri = NOTE) =>
  (await opened()).crib.servers.readResource('notes', uri, as);

describe('threat: reading a server beside its tools', { timeout: 60_000 }, () => {
  it('hostile: a caller with a list of tools reads nothing of a server that its list does not name', async () => {
    const { crib } = await opened();
    const limited = { ...ada, permissions: ['tool:send'], tools: ['send'] };
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
    for (const { id } of await crib.approvals.list()) {
      await crib.approvals.decide(id, { approve: true, by: 'a person' });
    }
    const read = () => crib.servers.readResource('notes', 'note:///x/the-secret', ada);
    expect(await read()).toMatchObject([{ text: 'read note:///x/the-secret' }]);
    await expect(read()).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
  });

  it('hostile: a surface that is limited to one server hands nothing out of the others', async () => {
    const { client } = await opened({}, { servers: ['notes'] });
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

  it('hostile: neither role nor grant nor the permissions of the program replace the name on the list', async () => {
    const rules = [{ name: 'all', effect: 'allow' as const }];
    const roles = { helper: { permissions: ['tool:*'] } };
    const { crib } = await opened({ policy: { version: 1, rules, roles } });
    const subject = { user: 'ada' };
    const granted = { subject, resource: 'tool:server:notes', actions: ['*'], by: 'root' };
    await crib.permissions.grant({ ...granted, skipsApproval: true });
    for (const limited of [
      { ...ada, tools: ['send'] },
      { ...ada, roles: ['helper'], permissions: ['tool:send'], tools: ['send'] },
    ]) {
      await expect(crib.servers.readResource('notes', NOTE, limited)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    }
    expect(await crib.servers.readResource('notes', NOTE, ada)).toMatchObject([{ uri: NOTE }]);
  });

  it('hostile: a caller that is denied starts no server, and a read of one starts no other', async () => {
    const { crib } = await opened({ startServers: false });
    const limited = { ...ada, tools: ['send'] };
    await crib.servers.readResource('notes', NOTE, limited).catch(() => undefined);
    await crib.servers.subscribe('notes', NOTE, () => undefined, limited).catch(() => undefined);
    expect([stateOf('notes'), stateOf('other')]).toEqual(['idle', 'idle']);
    await crib.servers.readResource('notes', NOTE, ada);
    expect([stateOf('notes'), stateOf('other')]).toEqual(['ready', 'idle']);
  });

  it('hostile: a client whose list names one server starts no other by listing what there is', async () => {
    const caller = { ...ada, tools: ['server:notes'] };
    const { client } = await opened({ startServers: false }, { caller });
    const one = await client('legacy');
    const { resources } = await one.listResources();
    await one.listResourceTemplates();
    const { prompts } = await one.listPrompts();
    expect(resources.map(({ uri }) => uri)).toContain(addressOf(NOTE));
    expect(prompts.map(({ name }) => name)).toContain('notes.greet');
    expect([stateOf('notes'), stateOf('other')]).toEqual(['ready', 'idle']);
  });

  it('hostile: words do not leave in a subscription, nor in the name of a prompt', async () => {
    const { crib } = await opened();
    await crib.servers.readResource('notes', NOTE, ada);
    const asks = { code: 'APPROVAL_REQUIRED' };
    const changed = vi.fn();
    const out = crib.servers.subscribe('notes', 'note:///x/the-secret', changed, ada);
    await expect(out).rejects.toMatchObject(asks);
    const named = crib.servers.getPrompt('notes', 'the-secret', {}, ada);
    await expect(named).rejects.toMatchObject(asks);
    const stop = await crib.servers.subscribe('notes', NOTE, changed, ada);
    const [row] = await crib.audit.query({ tool: 'toolcrib:server', status: 'success', limit: 1 });
    expect(JSON.stringify(row?.detail)).toContain('subscribe');
    await eventually(() => expect(logsOf()).toContain(JSON.stringify({ subscribed: NOTE })));
    stop();
    await eventually(() => expect(logsOf()).toContain('unsubscribed'));
    expect(logsOf()).not.toContain('the-secret');
  });

  it('hostile: a completion carries no private words out, and puts no question to a person', async () => {
    const { crib } = await opened();
    const asked = { of: { prompt: 'greet' }, argument: 'who', typed: 'A' };
    expect(await crib.servers.complete('notes', asked, ada)).toEqual(['greet:who:A:{}']);
    await crib.servers.readResource('notes', NOTE, ada);
    const requested = vi.fn();
    crib.events.on('approval.requested', requested);
    for (const typed of ['t', 'th', 'the-secret']) {
      expect(await crib.servers.complete('notes', { ...asked, typed }, ada)).toEqual([]);
    }
    expect(requested).not.toHaveBeenCalled();
    expect(await crib.approvals.list({})).toEqual([]);
  });

  it.each(['legacy', 'modern'] as const)(
    'hostile: a client of the %s era subscribes to nothing that it may not read',
    async (era) => {
      const { crib, client } = await opened({}, { caller: ada });
      const one = await client(era);
      const subscribe = async (uri: string): Promise<boolean> => {
        if (era === 'modern') {
          const { honoredFilter } = await one.listen({ resourceSubscriptions: [uri] });
          return honoredFilter.resourceSubscriptions?.includes(uri) ?? false;
        }
        return one.subscribeResource({ uri }).then(
          () => true,
          () => false,
        );
      };
      await one.readResource({ uri: addressOf(NOTE) });
      expect(await subscribe(addressOf('note:///x/the-secret'))).toBe(false);
      expect(await subscribe(addressOf(NOTE))).toBe(true);
      await eventually(() => expect(logsOf()).toContain('"subscribed"'));
      expect(logsOf()).not.toContain('the-secret');
      const rows = await crib.audit.query({ tool: 'toolcrib:server', userId: 'ada' });
      expect(JSON.stringify(rows)).toContain('the-secret');
    },
  );

  it('hostile: a client does not join the subscription of another that may read what it may not', async () => {
    const callers = {
      free: { ...ada, userId: 'free' },
      limited: { ...ada, userId: 'limited', tools: ['send'] },
    };
    const { surface } = await opened(
      {},
      {
        http: {
          authenticate: async ({ headers }) => {
            const key = headers.get('authorization')?.slice('Bearer '.length) ?? '';
            const caller = Object.hasOwn(callers, key) && callers[key as keyof typeof callers];
            return caller ? { key, caller } : undefined;
          },
        },
      },
    );
    const wanted = { resourceSubscriptions: [addressOf(NOTE)] };
    const free = await httpClient(surface, 'modern', { user: 'free' });
    expect((await free.listen(wanted)).honoredFilter).toEqual(wanted);
    const limited = await httpClient(surface, 'modern', { user: 'limited' });
    expect((await limited.listen(wanted)).honoredFilter).toEqual({});
    await free.close();
    await eventually(() => expect(logsOf()).toContain('unsubscribed'));
  });

  it('hostile: a server that fails closes no way to the others', async () => {
    const config = { mcp: { servers: { notes: server, other: { ...server, sink: false } } } };
    const { crib } = await opened({ config });
    for (let at = 0; at < 12; at += 1) {
      const failing = crib.servers.readResource('other', 'failing:1', { userId: 'ada' });
      await expect(failing).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    }
    const read = crib.servers.readResource('notes', NOTE, { userId: 'ada' });
    expect(await read).toMatchObject([{ uri: NOTE }]);
  });

  it('a read has the time of its server, and one that is cancelled is withdrawn there', async () => {
    const { crib } = await opened();
    const { signal, abort } = withAbort();
    const read = crib.servers.readResource('notes', 'stuck:1', { ...ada, signal });
    const over = expect(read).rejects.toMatchObject({ code: 'CANCELLED' });
    await eventually(() => expect(logsOf()).toContain('{"stuck"'));
    await crib.runtime.advance(60_000);
    abort();
    await over;
    await eventually(() => expect(logsOf()).toContain('{"cancelled"'));
  });

  it.each([{ dryRun: true }, { audience: 'model' }])(
    'refuses %j, whose answer would be of another kind',
    async (option) => {
      const { crib } = await opened({ startServers: false });
      const as = { ...ada, ...option } as never;
      await expect(crib.servers.readResource('notes', NOTE, as)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    },
  );

  it('benign: the program itself reads as it reads anything else', async () => {
    const { crib } = await opened();
    expect(await crib.servers.readResource('notes', NOTE)).toMatchObject([{ uri: NOTE }]);
    expect(await crib.audit.query({ tool: 'toolcrib:server' })).toEqual([]);
  });
});
