import { afterEach, describe, expect, it } from 'vitest';
import {
  type ElicitAnswer,
  ERAS,
  httpClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

let open: TestSurface | undefined;
let ran: unknown[] = [];
afterEach(async () => {
  await open?.close();
  open = undefined;
  ran = [];
});

const deploy = aTool({
  name: 'deploy',
  tier: 'execute',
  run: (input: unknown) => {
    ran.push(input);
    return 'deployed';
  },
});

const yes: ElicitAnswer = () => ({ action: 'accept', content: { approve: true } });

const idIn = (reply: unknown): string => String(/approvals approve (\S+)/.exec(textOf(reply))?.[1]);

describe.each(ERAS)('approvals through a client of the %s era', (era) => {
  it('runs the call after an explicit yes, once, and records who said it', async () => {
    open = await openSurface([deploy]);
    const client = await open.client(era, yes);
    const reply = await client.callTool({ name: 'deploy', arguments: { to: 'production' } });
    expect(textOf(reply)).toBe('deployed');
    expect(ran).toEqual([{ to: 'production' }]);
    const { approvals } = await open.crib.store();
    expect(await approvals.list('used')).toMatchObject([
      { tool: 'deploy', decidedBy: 'local (MCP client mcp)' },
    ]);
    expect(await approvals.list('waiting')).toEqual([]);
  });

  it.each<[string, ElicitAnswer]>([
    ['a declined form', () => ({ action: 'decline' })],
    ['an accepted form without the yes', () => ({ action: 'accept', content: { approve: false } })],
    ['a yes in another field', () => ({ action: 'accept', content: { approve: false, ok: true } })],
  ])('takes %s for a no', async (_what, answer) => {
    open = await openSurface([deploy]);
    const client = await open.client(era, answer);
    const reply = await client.callTool({ name: 'deploy', arguments: {} });
    expect(reply.isError).toBe(true);
    expect(textOf(reply)).toContain('USER_CANCELLED');
    expect(ran).toEqual([]);
  });

  it('leaves the call waiting when the form is cancelled', async () => {
    open = await openSurface([deploy]);
    const client = await open.client(era, () => ({ action: 'cancel' }));
    const reply = await client.callTool({ name: 'deploy', arguments: {} });
    expect(textOf(reply)).toContain('APPROVAL_REQUIRED');
    expect(ran).toEqual([]);
    expect(await open.crib.approvals.list()).toHaveLength(1);
  });

  it('shows the whole call with nothing invisible in it', async () => {
    let shown = '';
    open = await openSurface([deploy]);
    const client = await open.client(era, ({ message }) => {
      shown = message;
      return { action: 'decline' };
    });
    const to = 'staging\u001b[2K\u202eproduction <!-- hidden --> ``` end';
    await client.callTool({ name: 'deploy', arguments: { to } });
    expect(shown).toContain('␛[2K\\u202eproduction <!-- hidden --> ``` end');
    expect(['\u001b', '\u202e'].filter((hidden) => shown.includes(hidden))).toEqual([]);
    expect(shown).toMatch(/\n````text\n/);
  });

  it('does not ask about what is too long to be read', async () => {
    let asked = 0;
    open = await openSurface([deploy]);
    const client = await open.client(era, () => {
      asked += 1;
      return { action: 'accept', content: { approve: true } };
    });
    const reply = await client.callTool({ name: 'deploy', arguments: { to: 'x'.repeat(30_000) } });
    expect(textOf(reply)).toContain('APPROVAL_REQUIRED');
    expect([asked, ran]).toEqual([0, []]);
  });

  it('says how to approve where the client cannot ask, and the same call again uses it', async () => {
    open = await openSurface([deploy]);
    const client = await open.client(era);
    const call = { name: 'deploy', arguments: { to: 'production' } };
    const pending = await client.callTool(call);
    expect(pending.isError).toBe(true);
    const id = idIn(pending);
    expect(idIn(await client.callTool(call))).toBe(id);
    expect(await open.crib.approvals.list()).toHaveLength(1);
    await open.crib.approvals.decide(id, { approve: true, by: 'ada' });
    const other = await client.callTool({ ...call, arguments: { to: 'elsewhere' } });
    expect(idIn(other)).not.toBe(id);
    expect(ran).toEqual([]);
    expect(textOf(await client.callTool(call))).toBe('deployed');
    expect(ran).toEqual([{ to: 'production' }]);
    expect(textOf(await client.callTool(call))).toContain('APPROVAL_REQUIRED');
    expect(ran).toHaveLength(1);
  });

  it('takes an approval by its id in the metadata, for the very call it was given for', async () => {
    open = await openSurface([deploy], { caller: { sessionId: 'kept' } });
    const first = await open.client(era);
    const id = idIn(await first.callTool({ name: 'deploy', arguments: { to: 'a' } }));
    await open.crib.approvals.decide(id, { approve: true, by: 'ada' });
    const later = await open.client(era);
    const _meta = { 'toolcrib/approvalId': id };
    const wrong = await later.callTool({ name: 'deploy', arguments: { to: 'b' }, _meta });
    expect(textOf(wrong)).toContain('APPROVAL_EXPIRED');
    const right = await later.callTool({ name: 'deploy', arguments: { to: 'a' }, _meta });
    expect(textOf(right)).toBe('deployed');
  });

  it('never asks a client with `approvals: inbox`', async () => {
    open = await openSurface([deploy], { approvals: 'inbox' });
    const client = await open.client(era, yes);
    const reply = await client.callTool({ name: 'deploy', arguments: {} });
    expect(textOf(reply)).toContain('APPROVAL_REQUIRED');
    expect(ran).toEqual([]);
  });

  it('gives no approval of one session to another', async () => {
    open = await openSurface([deploy]);
    const [one, other] = [await open.client(era), await open.client(era)];
    const call = { name: 'deploy', arguments: {} };
    const id = idIn(await one.callTool(call));
    await open.crib.approvals.decide(id, { approve: true, by: 'ada' });
    const _meta = { 'toolcrib/approvalId': id };
    expect(textOf(await other.callTool({ ...call, _meta }))).toContain('APPROVAL_EXPIRED');
    expect(idIn(await other.callTool(call))).not.toBe(id);
    expect(ran).toEqual([]);
  });
});

describe('the state that travels through a client (2026-07-28)', () => {
  interface Round {
    readonly requestState?: string;
    readonly inputResponses?: Record<string, unknown>;
  }

  /** The calls as they are on the wire: nothing answers on its own. */
  const raw = async (user: string, round: Round & { to?: string } = {}) => {
    const { to = 'production', ...rest } = round;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const response = await (open as TestSurface).surface.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          host: 'localhost',
          authorization: `Bearer ${user}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'deploy',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'deploy', arguments: { to }, _meta: meta, ...rest },
        }),
      }),
    );
    const text = await response.text();
    const line = text.split('\n').find((each) => each.startsWith('data: {'));
    return JSON.parse(line === undefined ? text : line.slice(6)) as {
      result?: { requestState?: string; resultType?: string; isError?: boolean };
      error?: { code: number; message: string };
    };
  };

  const accepted = { toolcrib_approval: { action: 'accept', content: { approve: true } } };
  const start = async (): Promise<string> => {
    open = await openSurface([deploy], { http: { authenticate: tokens } });
    const { result } = await raw('alice');
    expect(result?.resultType).toBe('input_required');
    return String(result?.requestState);
  };

  it('lets the call run once, and is worth nothing afterwards', async () => {
    const requestState = await start();
    const done = await raw('alice', { requestState, inputResponses: accepted });
    expect(textOf(done.result)).toBe('deployed');
    const replayed = await raw('alice', { requestState, inputResponses: accepted });
    expect(textOf(replayed.result)).toContain('APPROVAL_EXPIRED');
    expect(ran).toHaveLength(1);
  });

  it('is refused when it was edited, made up or cut', async () => {
    const requestState = await start();
    const [version, body = '', mac] = requestState.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp: number };
    const longer = Buffer.from(JSON.stringify({ ...payload, exp: payload.exp + 9 }));
    const forged = [
      `${version}.${longer.toString('base64url')}.${mac}`,
      `${version}.${body}.${Buffer.alloc(32).toString('base64url')}`,
      requestState.slice(0, -4),
      'v1',
      '',
    ];
    for (const state of forged) {
      const answer = await raw('alice', { requestState: state, inputResponses: accepted });
      expect(answer.error?.code).toBe(-32602);
    }
    expect(ran).toEqual([]);
  });

  it('is refused from another user, for another input, and after a surface with another key', async () => {
    const requestState = await start();
    const bob = await raw('bob', { requestState, inputResponses: accepted });
    expect(bob.error?.code).toBe(-32602);
    const other = await raw('alice', { requestState, inputResponses: accepted, to: 'elsewhere' });
    expect(other.error?.code).toBe(-32602);
    await open?.close();
    await start();
    const foreign = await raw('alice', { requestState, inputResponses: accepted });
    expect(foreign.error?.code).toBe(-32602);
    expect(ran).toEqual([]);
  });

  it('asks again when the answer is missing, and a no stays a no', async () => {
    const requestState = await start();
    const again = await raw('alice', { requestState });
    expect(again.result?.resultType).toBe('input_required');
    const no = { toolcrib_approval: { action: 'decline' } };
    const denied = await raw('alice', { requestState, inputResponses: no });
    expect(textOf(denied.result)).toContain('USER_CANCELLED');
    const changed = await raw('alice', { requestState, inputResponses: accepted });
    expect(changed.result?.isError).toBe(true);
    expect(ran).toEqual([]);
  });

  it('is not an approval by itself: answers without a state do not count', async () => {
    await start();
    const answer = await raw('alice', { inputResponses: accepted });
    expect(answer.result?.resultType).toBe('input_required');
    expect(ran).toEqual([]);
  });
});

describe('approvals over HTTP', () => {
  it.each(ERAS)('asks through a client of the %s era', async (era) => {
    open = await openSurface([deploy], { http: { authenticate: tokens } });
    const client = await httpClient(open.surface, era, { answer: yes });
    const reply = await client.callTool({ name: 'deploy', arguments: {} });
    expect(textOf(reply)).toBe('deployed');
    await client.close();
  });

  it('asks through a client of SDK 1.x', async () => {
    open = await openSurface([deploy]);
    const client = await open.oldClient(yes);
    const reply = await client.callTool({ name: 'deploy', arguments: {} });
    expect(textOf(reply)).toBe('deployed');
  });
});
