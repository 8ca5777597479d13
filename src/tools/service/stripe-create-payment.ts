/**
 * `stripe_create_payment`: creates a PaymentIntent through Stripe's API; only one for the same
 * idempotency key.
 */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { baseUrl } from '../base-url.ts';
import { authOf, isRefusal, textAt, type Vendor, vendorData } from '../vendor-reply.ts';

const STRIPE: Vendor = {
  name: 'Stripe',
  secret: 'STRIPE_SECRET_KEY',
  setupUrl: 'https://dashboard.stripe.com/apikeys',
  explain: (body) => textAt(body, 'error', 'message'),
};

/** The API version that the fields below are written for. */
const API_VERSION = '2025-03-31.basil';

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_]{1,250}$`));

const input = () =>
  z
    .strictObject({
      amount: z
        .int()
        .min(1)
        .max(99_999_999)
        .describe('In the smallest unit of the currency: 1099 is 10.99 USD, but 1099 JPY.'),
      currency: z
        .string()
        .regex(/^[A-Za-z]{3}$/, 'Three letters.')
        .describe('ISO code, e.g. usd.'),
      customerId: id('cus').optional().describe('The customer at Stripe, e.g. cus_123.'),
      description: z.string().max(1000).optional().describe('What it is for.'),
      receiptEmail: z.email().optional().describe('Who gets the receipt.'),
      metadata: z
        .record(z.string().regex(/^[^[\]]{1,40}$/), z.string().max(500))
        .refine((value) => Object.keys(value).length <= 50, 'At most 50.')
        .default({})
        .describe('Your own notes, kept with the payment.'),
      paymentMethodId: id('pm').optional().describe('With confirm: what to pay with, e.g. pm_123.'),
      confirm: z
        .boolean()
        .default(false)
        .describe('Take the money at once. Needs paymentMethodId.'),
      includeClientSecret: z
        .boolean()
        .default(false)
        .describe('Return the secret by which a browser completes the payment.'),
    })
    .refine(({ confirm, paymentMethodId }) => !confirm || paymentMethodId !== undefined, {
      path: ['paymentMethodId'],
      message: 'A payment that is confirmed at once needs paymentMethodId.',
    });

const output = () =>
  z.strictObject({
    paymentIntentId: z.string().describe('The payment at Stripe.'),
    status: z.enum(['succeeded', 'pending', 'failed']).describe('How it stands.'),
    stripeStatus: z.string().describe('How it stands, in the words of Stripe.'),
    amount: z.int().describe('In the smallest unit.'),
    currency: z.string().describe('ISO code.'),
    livemode: z.boolean().describe('False with a test key: no money moves.'),
    clientSecret: z.string().optional().describe('Only when asked for.'),
  });

const intent = lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal('payment_intent'),
    status: z.string(),
    amount: z.int(),
    currency: z.string(),
    livemode: z.boolean(),
    client_secret: z.string().nullish(),
  }),
);

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const formOf = (request: Input): URLSearchParams => {
  const form = new URLSearchParams({
    amount: String(request.amount),
    currency: request.currency.toLowerCase(),
  });
  const optional: Readonly<Record<string, string | undefined>> = {
    customer: request.customerId,
    description: request.description,
    receipt_email: request.receiptEmail,
    payment_method: request.paymentMethodId,
  };
  for (const [name, value] of Object.entries(optional)) {
    if (value !== undefined) form.set(name, value);
  }
  for (const [key, value] of Object.entries(request.metadata)) form.set(`metadata[${key}]`, value);
  form.set('automatic_payment_methods[enabled]', 'true');
  if (request.confirm) {
    form.set('confirm', 'true');
    // There is no browser to redirect.
    form.set('automatic_payment_methods[allow_redirects]', 'never');
  }
  return form;
};

const statusOf = (status: string): Output['status'] => {
  if (status === 'succeeded') return 'succeeded';
  return status === 'canceled' ? 'failed' : 'pending';
};

const create = async (request: Input, context: ToolContext, url: string): Promise<Output> => {
  const response = await context.fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      authorization: `Bearer ${await context.secret(STRIPE.secret)}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': context.idempotencyKey,
      'stripe-version': API_VERSION,
    },
    body: formOf(request).toString(),
  });
  // A refused payment has no fee. 408 and 409 do not tell whether it was made.
  if (isRefusal(response)) context.charge({ cost: 0 });
  const made = await vendorData(response, STRIPE, intent());
  return {
    paymentIntentId: made.id,
    status: statusOf(made.status),
    stripeStatus: made.status,
    amount: made.amount,
    currency: made.currency,
    livemode: made.livemode,
    ...(request.includeClientSecret && made.client_secret && { clientSecret: made.client_secret }),
  };
};

export const defineStripeCreatePayment = (
  options: { readonly baseUrl?: string } = {},
): Tool<Input, Output> => {
  const { href, host } = baseUrl(options.baseUrl ?? 'https://api.stripe.com');
  return defineTool({
    name: 'stripe_create_payment',
    description: 'Creates a payment (PaymentIntent) at Stripe; with confirm the money is taken.',
    documentation:
      'A call that is repeated with the same idempotency key pays once. With a test key no money moves. Another address for the service goes into services.stripe.baseUrl.',
    source: 'builtin',
    category: 'service',
    tier: 'external_api',
    // Stripe answers a repeated key with the first result.
    idempotent: true,
    capabilities: [
      {
        action: 'create_payment',
        description: 'Create a payment at Stripe.',
        requiresConfirmation: true,
        estimatedCost: 0.3,
      },
    ],
    auth: authOf(STRIPE, 'api_key'),
    permissions: ['tool:stripe_create_payment'],
    needs: { hosts: [host] },
    cost: {
      model: 'usage_based',
      fixed: 0.3,
      billingUrl: 'https://dashboard.stripe.com/settings/billing',
    },
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 100 },
    server: 'stripe',
    aliases: ['stripe_charge', 'stripe:create_payment'],
    tags: ['stripe', 'payment', 'money', 'charge'],
    examples: [
      {
        title: 'Ask for ten dollars and 99 cents',
        input: { amount: 1099, currency: 'usd', description: 'A lamp' },
        output: { status: 'pending', stripeStatus: 'requires_payment_method', amount: 1099 },
      },
    ],
    input,
    output,
    run: (request, context) => create(request, context, `${href}/v1/payment_intents`),
  });
};
