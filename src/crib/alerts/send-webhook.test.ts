import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AlertNotification, WebhookAction } from '../../contract/alerts.ts';
import type { EgressInit } from '../../governance/egress/create-egress.ts';
import { sendWebhook } from './send-webhook.ts';

const NOTIFICATION: AlertNotification = {
  id: 'n1',
  type: 'alert.fired',
  alert: 'busy',
  subject: 'git',
  severity: 'critical',
  summary: 'It fails.',
  condition: 'errorRate > 0.5',
  at: 1000,
  since: 500,
  values: {},
};

const sent = async (
  action: Omit<WebhookAction, 'type'>,
  { status = 204, secrets = {} as Readonly<Record<string, string>> } = {},
) => {
  const requests: { url: string; init: EgressInit }[] = [];
  const deps = {
    egress: {
      fetch: async (input: string | URL | Request, init: EgressInit = {}) => {
        requests.push({ url: String(input), init });
        return new Response(null, { status });
      },
    },
    secret: async (key: string) => secrets[key],
    now: () => 1_700_000_000_500,
  };
  await sendWebhook({ type: 'webhook', ...action }, NOTIFICATION, deps);
  const [request] = requests;
  if (!request) throw new Error('nothing was sent');
  return { url: request.url, init: request.init, headers: new Headers(request.init.headers) };
};

const URL_TEXT = 'https://hooks.example.com/x';
const FROM_SECRET = `\${secret:WHERE}`;

describe('sendWebhook', () => {
  it('posts the notification with one line for chat programs, to its host alone', async () => {
    const { url, init, headers } = await sent({ url: URL_TEXT });
    expect([url, init.method, init.redirect]).toEqual([URL_TEXT, 'POST', 'manual']);
    expect(JSON.parse(String(init.body))).toMatchObject({
      id: 'n1',
      alert: 'busy',
      text: '[FIRING, critical] busy (git): It fails.',
    });
    expect(init.scope?.hosts).toEqual(['hooks.example.com']);
    expect(headers.get('idempotency-key')).toBe('n1');
    expect(headers.has('x-toolcrib-signature')).toBe(false);
  });

  it('signs the time and the body with the secret that it names', async () => {
    const { init, headers } = await sent(
      { url: URL_TEXT, secret: 'HOOK' },
      { secrets: { HOOK: 'k' } },
    );
    const digest = createHmac('sha256', 'k').update(`1700000000.${String(init.body)}`);
    expect(headers.get('x-toolcrib-timestamp')).toBe('1700000000');
    expect(headers.get('x-toolcrib-signature')).toBe(`sha256=${digest.digest('hex')}`);
  });

  it('takes an address that is a secret from there', async () => {
    const secrets = { WHERE: ` ${URL_TEXT} ` };
    const { url } = await sent({ url: FROM_SECRET }, { secrets });
    expect(url).toBe(URL_TEXT);
  });

  it('threat: a secret that is no web address is refused and not shown', async () => {
    for (const value of ['hunter2', 'file:///etc/passwd']) {
      const failed = sent({ url: FROM_SECRET }, { secrets: { WHERE: value } });
      await expect(failed).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(failed).rejects.not.toThrow(value);
    }
  });

  it('fails as retryable when its secret is missing, which may be set meanwhile', async () => {
    await expect(sent({ url: URL_TEXT, secret: 'HOOK' })).rejects.toMatchObject({
      code: 'AUTH_MISSING',
      extras: { retryable: true },
    });
  });

  it.each([
    [503, true],
    [429, true],
    [408, true],
    [404, false],
    [302, false],
  ])('fails on status %i; worth another try: %s', async (status, retryable) => {
    await expect(sent({ url: URL_TEXT }, { status })).rejects.toMatchObject({
      code: 'NETWORK',
      extras: { retryable },
    });
  });
});
