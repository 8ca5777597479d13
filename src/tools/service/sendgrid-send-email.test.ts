/** sendgrid_send_email through a whole crib, against a server that checks SendGrid's protocol. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { openSendgrid, SENDGRID_KEY } from '../../../test/fixtures/vendors/sendgrid-server.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { VendorSite } from '../../../test/fixtures/vendors/vendor-site.ts';
import { defineSendgridSendEmail } from './sendgrid-send-email.ts';

const sendgridSendEmail = defineSendgridSendEmail();

const NAME = 'sendgrid_send_email';
const MAIL = { to: 'ada@example.com', from: 'shop@example.com', subject: 'Hi', text: 'Hello' };
let site: VendorSite;
let crib: TestCrib;
const cribWith = (key?: string, more: object = {}) =>
  vendorCrib(defineSendgridSendEmail({ baseUrl: site.url }), {
    ...(key !== undefined && { keys: { SENDGRID_API_KEY: key } }),
    ...more,
  });

beforeEach(async () => {
  site = await openSendgrid();
  crib = await cribWith(SENDGRID_KEY);
});
afterEach(async () => {
  await crib.close();
  await site.close();
});

describe(NAME, () => {
  it.each(titlesOf(sendgridSendEmail))('example: %s', async (title) => {
    const { input, output } = exampleAt(sendgridSendEmail, title, ['', '']);
    expect((await crib.execute(NAME, input)).data).toMatchObject(output as object);
  });

  it('sends lists, names, both forms, and no address twice', async () => {
    const { data } = await crib.execute(NAME, {
      ...MAIL,
      to: ['ada@example.com', 'bob@example.com'],
      cc: 'ADA@example.com',
      bcc: ['eve@example.com'],
      fromName: 'The shop',
      replyTo: 'help@example.com',
      html: '<p>Hello</p>',
    });
    expect(data).toEqual({ messageId: 'message-1', status: 'queued', recipients: 3 });
    expect(JSON.parse(site.arrived[0]?.text ?? '')).toEqual({
      personalizations: [
        {
          to: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }],
          bcc: [{ email: 'eve@example.com' }],
        },
      ],
      from: { email: 'shop@example.com', name: 'The shop' },
      reply_to: { email: 'help@example.com' },
      subject: 'Hi',
      content: [
        { type: 'text/plain', value: 'Hello' },
        { type: 'text/html', value: '<p>Hello</p>' },
      ],
    });
  });

  it('sends nothing in sandbox mode', async () => {
    const { data } = await crib.execute(NAME, { ...MAIL, sandbox: true });
    expect(data).toEqual({ messageId: '', status: 'checked', recipients: 1 });
  });

  it('waits for the window that SendGrid names, and after a server error sends nothing twice', async () => {
    const date = new Date('2026-01-15T12:00:00Z');
    const reset = String(date.getTime() / 1000 + 11);
    const headers = { date: date.toUTCString(), 'x-ratelimit-reset': reset };
    site.trouble.push({ status: 429, headers, body: {} });
    const late = await runThrough(crib, [NAME, MAIL]);
    expect(late.success).toBe(true);
    expect(late.waitedMs).toBeGreaterThanOrEqual(11_000);
    site.trouble.push({ status: 500, body: {} });
    const lost = await runThrough(crib, [NAME, MAIL]);
    expect([lost.error?.code, site.arrived.length]).toEqual(['SERVER_ERROR', 3]);
  });

  it('maps the errors of SendGrid', async () => {
    const { error } = await crib.execute(NAME, { ...MAIL, from: 'me@unverified.example' });
    expect([error?.code, error?.message]).toEqual([
      'AUTH_MISSING',
      expect.stringContaining('verified Sender Identity'),
    ]);
  });

  it.each([
    ['to', { ...MAIL, to: 'nobody' }],
    ['to', { ...MAIL, to: [] }],
    ['from', { ...MAIL, from: 'a@b.c\r\nBcc: eve@example.com' }],
    ['subject', { ...MAIL, subject: 'Hi\r\nBcc: eve@example.com' }],
    ['fromName', { ...MAIL, fromName: 'a\nb' }],
    ['text', { to: MAIL.to, from: MAIL.from, subject: 'Hi' }],
  ])('refuses a bad %s before anything is sent', async (field, input) => {
    const { error } = await crib.execute(NAME, input);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.map(({ path }) => path[0])).toContain(field);
    expect(site.arrived).toEqual([]);
  });

  it('without a key nothing is sent; a refused one appears nowhere; a person is asked', async () => {
    const poor = await cribWith();
    const { error } = await poor.execute(NAME, MAIL);
    expect(error?.code).toBe('AUTH_MISSING');
    expect(error?.suggestions.join()).toContain('https://app.sendgrid.com/settings/api_keys');
    const wrong = await cribWith('SG.wrong-0123456789');
    const refused = await wrong.execute(NAME, MAIL);
    expect(refused.error?.code).toBe('AUTH_MISSING');
    expect(JSON.stringify(refused) + (await trailOf(wrong))).not.toContain('SG.wrong-0123456789');
    const strict = await cribWith(SENDGRID_KEY, { policy: { version: 1, rules: [] } });
    expect((await strict.execute(NAME, MAIL)).status).toBe('pending');
    expect(site.arrived).toHaveLength(1);
    for (const each of [poor, wrong, strict]) await each.close();
  });
});
