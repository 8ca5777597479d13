/** stripe_create_payment through a whole crib, against a server that checks Stripe's protocol. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import {
  openStripe,
  STRIPE_KEY,
  type StripeSite,
} from '../../../test/fixtures/vendors/stripe-server.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import { TOO_MANY } from '../../../test/fixtures/vendors/vendor-site.ts';
import { defineStripeCreatePayment } from './stripe-create-payment.ts';

const stripeCreatePayment = defineStripeCreatePayment();

const NAME = 'stripe_create_payment';
const LAMP = { amount: 1099, currency: 'USD' };
let site: StripeSite;
let crib: TestCrib;
const cribWith = (key?: string, more: object = {}) =>
  vendorCrib(defineStripeCreatePayment({ baseUrl: site.url }), {
    ...(key !== undefined && { keys: { STRIPE_SECRET_KEY: key } }),
    ...more,
  });

beforeEach(async () => {
  site = await openStripe();
  crib = await cribWith(STRIPE_KEY);
});
afterEach(async () => {
  await crib.close();
  await site.close();
});

describe(NAME, () => {
  it.each(titlesOf(stripeCreatePayment))('example: %s', async (title) => {
    const { input, output } = exampleAt(stripeCreatePayment, title, ['', '']);
    expect((await crib.execute(NAME, input)).data).toMatchObject(output as object);
  });

  it('sends every field as Stripe names it', async () => {
    const result = await crib.execute(NAME, {
      ...LAMP,
      customerId: 'cus_1',
      description: 'a & b',
      receiptEmail: 'ada@example.com',
      metadata: { order: '7' },
      paymentMethodId: 'pm_card',
      confirm: true,
    });
    expect(result.data).toEqual({
      paymentIntentId: 'pi_1',
      status: 'succeeded',
      stripeStatus: 'succeeded',
      amount: 1099,
      currency: 'usd',
      livemode: false,
    });
    expect(Object.fromEntries(new URLSearchParams(site.arrived[0]?.text))).toMatchObject({
      currency: 'usd',
      customer: 'cus_1',
      'metadata[order]': '7',
      'automatic_payment_methods[allow_redirects]': 'never',
    });
  });

  it('gives the client secret only when asked for', async () => {
    const asked = { ...LAMP, includeClientSecret: true };
    expect((await crib.execute(NAME, asked)).data).toHaveProperty('clientSecret');
    expect((await crib.execute(NAME, LAMP)).data).not.toHaveProperty('clientSecret');
  });

  it('a repeated call with the same key pays once, also after trouble on the way', async () => {
    site.trouble.push({ status: 500, body: {} }, TOO_MANY);
    const as = { idempotencyKey: 'order-7' };
    const result = await runThrough(crib, [NAME, LAMP, as]);
    expect([result.success, result.metadata.attempts, site.payments()]).toEqual([true, 3, 1]);
    expect(result.waitedMs).toBeGreaterThanOrEqual(7000);
    expect(site.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'order-7',
      'order-7',
      'order-7',
    ]);
    await crib.execute(NAME, LAMP, as);
    expect(site.payments()).toBe(1);
  });

  it.each([
    [{ ...LAMP, amount: 10 }, 'VALIDATION_ERROR', 'Amount must be at least $0.50 usd'],
    [{ ...LAMP, customerId: 'cus_gone' }, 'NOT_FOUND', 'No such customer'],
    [{ ...LAMP, confirm: true, paymentMethodId: 'pm_declined' }, 'EXECUTION_FAILED', 'declined'],
  ])('maps the errors of Stripe: %j', async (input, code, words) => {
    const { error } = await crib.execute(NAME, input);
    expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(words)]);
  });

  it('fails on an answer that is not as documented', async () => {
    site.trouble.push({ body: 'hello' });
    expect((await crib.execute(NAME, LAMP)).error?.code).toBe('EXECUTION_FAILED');
  });

  it.each([
    ['amount', { ...LAMP, amount: 10.5 }],
    ['amount', { ...LAMP, amount: -1 }],
    ['currency', { ...LAMP, currency: 'euro' }],
    ['customerId', { ...LAMP, customerId: '../x' }],
    ['paymentMethodId', { ...LAMP, confirm: true }],
  ])('refuses a bad %s before anything is sent', async (field, input) => {
    const { error } = await crib.execute(NAME, input);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.[0]?.path).toEqual([field]);
    expect(site.arrived).toEqual([]);
  });
});

describe('threat: money and keys at Stripe', () => {
  it('without a key nothing is sent, and the error says where to get one', async () => {
    const poor = await cribWith();
    const { error } = await poor.execute(NAME, LAMP);
    expect(error?.code).toBe('AUTH_MISSING');
    expect(error?.suggestions.join()).toContain('https://dashboard.stripe.com/apikeys');
    expect(site.arrived).toEqual([]);
    await poor.close();
  });

  it('a refused key is reported, and appears nowhere', async () => {
    const wrong = await cribWith('sk_test_wrong0123456789');
    const result = await wrong.execute(NAME, LAMP);
    expect(result.error?.code).toBe('AUTH_MISSING');
    const everything = JSON.stringify(result) + (await trailOf(wrong));
    expect(everything).not.toContain('sk_test_wrong0123456789');
    await wrong.close();
  });

  it('a payment needs an approval by default', async () => {
    const strict = await cribWith(STRIPE_KEY, { policy: { version: 1, rules: [] } });
    expect((await strict.execute(NAME, LAMP)).status).toBe('pending');
    expect(site.arrived).toEqual([]);
    await strict.close();
  });

  it('hostile: the key follows no redirect', async () => {
    site.trouble.push({ status: 307, headers: { location: `${site.url}/elsewhere` } });
    const { success } = await runThrough(crib, [NAME, LAMP]).then((done) => done);
    expect(site.arrived.map(({ path }) => path)).not.toContain('/elsewhere');
    expect(success).toBe(true);
  });
});

describe('a payment that Stripe refuses after its fee was held', () => {
  const config = { egress: { allowPrivate: ['127.0.0.1'] } };
  const spentBy = async (open: TestCrib) => {
    const lines = await open.usage.summary();
    return lines.filter(({ kind }) => kind === 'user').map(({ usd, heldUsd }) => [usd, heldUsd]);
  };

  it.each([
    ['declined', { ...LAMP, paymentMethodId: 'pm_declined', confirm: true }],
    ['too small', { ...LAMP, amount: 1 }],
    ['of nobody', { ...LAMP, customerId: 'cus_gone' }],
  ])('%s: the hold is released and nothing is booked', async (_, input) => {
    const limited = await cribWith(STRIPE_KEY, { config });
    const refused = await limited.execute(NAME, input, { userId: 'ada' });
    expect([refused.success, refused.metadata.cost, site.payments()]).toEqual([false, 0, 0]);
    for (const line of await spentBy(limited)) expect(line).toEqual([0, 0]);
    const paid = await limited.execute(NAME, LAMP, { userId: 'ada' });
    expect(paid.metadata.cost).toBeGreaterThan(0);
    expect(await spentBy(limited)).toEqual([[paid.metadata.cost, 0]]);
    await limited.close();
  });

  it('a payment that may have been made is charged to the budget', async () => {
    const limited = await cribWith(STRIPE_KEY, { config });
    site.trouble.push({ status: 409, body: {} });
    const { metadata, success } = await runThrough(limited, [NAME, LAMP, { userId: 'ada' }]);
    expect(await spentBy(limited)).toEqual([[metadata.cost, 0]]);
    expect(success || metadata.cost > 0).toBe(true);
    await limited.close();
  });
});
