/** Approvals of calls over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Asking, openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { makeLinkToken, readLinkToken } from '../../governance/approvals/approval-link.ts';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

let runs = 0;
const SHELL = aTool({
  name: 'shell',
  tier: 'execute',
  run: (input: unknown) => {
    runs += 1;
    return input;
  },
});

const open = async (...more: [Parameters<typeof openHttp>[1]?]): Promise<TestHttp> => {
  runs = 0;
  http = await openHttp([SHELL], more[0]);
  return http;
};

const execute = (door: TestHttp, tool: string, { token, body, ...asking }: Asking) =>
  door.ask(`/v1/tools/${tool}/execute`, {
    method: 'POST',
    token: token ?? door.tokens.agent,
    body: body ?? { input: {} },
    ...asking,
  });

describe('approvals over HTTP', () => {
  const waiting = async (door: TestHttp, token = door.tokens.agent) =>
    (await execute(door, 'shell', { token, body: { input: { cmd: 'ls' } } })).json.approval
      .approvalId as string;
  const decide = (door: TestHttp, id: string, asking: Asking) =>
    door.ask(`/v1/approvals/${id}/decide`, {
      method: 'POST',
      token: door.tokens.operator,
      ...asking,
    });

  it('is asked, approved once, and runs once', async () => {
    const door = await open();
    const id = await waiting(door);
    const inbox = await door.ask('/v1/approvals?state=waiting', { token: door.tokens.viewer });
    expect(inbox.json.items).toMatchObject([{ id, request: { input: { cmd: 'ls' } } }]);
    expect(inbox.text).not.toContain('seal');
    expect((await decide(door, id, { body: { approve: true } })).json).toEqual({ decided: true });
    expect((await decide(door, id, { body: { approve: false } })).status).toBe(409);
    const body = { input: { cmd: 'ls' }, approvalId: id };
    expect((await execute(door, 'shell', { body })).status).toBe(200);
    expect((await execute(door, 'shell', { body })).status).not.toBe(200);
    expect(runs).toBe(1);
    const record = await door.ask(`/v1/approvals/${id}`, { token: door.tokens.viewer });
    expect(record.json).toMatchObject({ state: 'used', decidedBy: 'token:operator' });
  });

  it('a token cannot approve a call of its own user, but can deny it', async () => {
    const door = await open();
    const id = await waiting(door, door.tokens.operator);
    expect((await decide(door, id, { body: { approve: true } })).status).toBe(403);
    expect((await decide(door, id, { body: { approve: false } })).status).toBe(200);
    expect(runs).toBe(0);
  });

  it('are decided only by the console or an operator; a yes in another form is refused', async () => {
    const door = await open();
    const id = await waiting(door);
    for (const body of [{ approve: 'true' }, { approve: 1 }, {}, { approve: true, by: 'admin' }]) {
      expect((await decide(door, id, { body })).status).toBe(400);
    }
    const agent = await decide(door, id, { token: door.tokens.agent, body: { approve: true } });
    expect(agent.status).toBe(403);
    expect((await decide(door, 'nothing', { body: { approve: true } })).status).toBe(404);
  });

  it('a signed link shows the question, and decides only when its form is sent', async () => {
    const key = openTestKey();
    const door = await open((crib) => ({
      readLink: async (token) => readLinkToken(token, key, crib.runtime.now()),
    }));
    const id = await waiting(door);
    const expiresAt = door.crib.runtime.now() + 1000;
    const yes = makeLinkToken({ approvalId: id, approve: true, expiresAt }, key);
    const no = makeLinkToken({ approvalId: id, approve: false, expiresAt }, key);
    const page = await door.ask(`/approve?token=${yes}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('shell');
    expect(page.text.match(/<button /g)).toHaveLength(2);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await door.ask(`/approve/${no}`)).text).not.toContain('>Approve<');
    expect((await door.ask(`/approve?token=${yes}x`)).status).toBe(403);
    const state = await door.ask(`/v1/approvals/${id}`, { token: door.tokens.viewer });
    expect(state.json.state).toBe('waiting');
  });

  it('the form of a link decides once, by the links the crib made', async () => {
    const door = await open();
    const id = await waiting(door);
    const { approve } = await door.crib.approvals.links(id);
    const send = () =>
      door.ask('/approve', {
        method: 'POST',
        raw: new URLSearchParams({ token: approve }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await send()).text).toContain('Approved');
    expect((await send()).status).toBe(403);
    const state = await door.ask(`/v1/approvals/${id}`, { token: door.tokens.viewer });
    expect(state.json).toMatchObject({ state: 'approved', decidedBy: 'signed link' });
  });
});
