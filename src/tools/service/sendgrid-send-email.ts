/** `sendgrid_send_email`: sends one message through SendGrid's v3 API. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { baseUrl } from '../base-url.ts';
import { authOf, textAt, type Vendor, vendorFailure } from '../vendor-reply.ts';

const SENDGRID: Vendor = {
  name: 'SendGrid',
  secret: 'SENDGRID_API_KEY',
  setupUrl: 'https://app.sendgrid.com/settings/api_keys',
  explain: (body) => textAt(body, 'errors', 0, 'message'),
};

const line = () => z.string().regex(/^[^\r\n]*$/, 'One line only.');
const isAddress = lazy(() => z.email());
/**
 * Describes an address. A refinement instead of `z.email()`, whose long pattern would be in the definition
 * once for each field.
 */
const email = () =>
  z
    .string()
    .max(320)
    .refine((text) => isAddress().safeParse(text).success, 'Invalid email address')
    .meta({ format: 'email' });
const several = () => z.union([email(), z.array(email()).min(1).max(100)]);

const input = () =>
  z
    .strictObject({
      to: several().describe('One address or several.'),
      cc: several().optional().describe('Who gets a copy.'),
      bcc: several().optional().describe('Who gets a copy that the others do not see.'),
      from: email().describe('A sender that is verified at SendGrid.'),
      fromName: line().max(200).optional().describe('The name of the sender.'),
      replyTo: email().optional().describe('Where answers go.'),
      subject: line().min(1).max(998).describe('The subject.'),
      text: z.string().min(1).max(1_000_000).optional().describe('The message as plain text.'),
      html: z.string().min(1).max(1_000_000).optional().describe('The message as HTML.'),
      sandbox: z.boolean().default(false).describe('Let SendGrid check it and send nothing.'),
    })
    .refine(({ text, html }) => text !== undefined || html !== undefined, {
      path: ['text'],
      message: 'Give text, html or both.',
    });

const output = () =>
  z.strictObject({
    messageId: z.string().describe('The message at SendGrid; empty in sandbox mode.'),
    status: z.enum(['queued', 'checked']).describe('Queued for delivery, or only checked.'),
    recipients: z.int().describe('How many people it goes to.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const addresses = (field: string | string[] | undefined): { readonly email: string }[] =>
  (field === undefined ? [] : [field].flat()).map((email) => ({ email }));

/** Lists each address once: SendGrid refuses one that is in two of the lists. */
const recipientsOf = ({ to, cc, bcc }: Input) => {
  const usedAddresses = new Set<string>();
  const unusedOnly = (list: { readonly email: string }[]) =>
    list.filter(({ email }) => {
      const key = email.toLowerCase();
      return usedAddresses.has(key) ? false : usedAddresses.add(key);
    });
  return {
    to: unusedOnly(addresses(to)),
    cc: unusedOnly(addresses(cc)),
    bcc: unusedOnly(addresses(bcc)),
  };
};

const messageOf = (request: Input, { to, cc, bcc }: ReturnType<typeof recipientsOf>): unknown => {
  const { from, fromName, replyTo, subject, text, html, sandbox } = request;
  return {
    personalizations: [{ to, ...(cc.length > 0 && { cc }), ...(bcc.length > 0 && { bcc }) }],
    from: { email: from, ...(fromName !== undefined && { name: fromName }) },
    ...(replyTo !== undefined && { reply_to: { email: replyTo } }),
    subject,
    // SendGrid wants plain text first.
    content: [
      ...(text === undefined ? [] : [{ type: 'text/plain', value: text }]),
      ...(html === undefined ? [] : [{ type: 'text/html', value: html }]),
    ],
    ...(sandbox && { mail_settings: { sandbox_mode: { enable: true } } }),
  };
};

const send = async (request: Input, context: ToolContext, url: string): Promise<Output> => {
  const lists = recipientsOf(request);
  const response = await context.fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      authorization: `Bearer ${await context.secret(SENDGRID.secret)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(messageOf(request, lists)),
  });
  if (!response.ok) throw await vendorFailure(response, SENDGRID);
  await response.body?.cancel();
  return {
    messageId: response.headers.get('x-message-id') ?? '',
    status: response.status === 202 ? 'queued' : 'checked',
    recipients: lists.to.length + lists.cc.length + lists.bcc.length,
  };
};

export const defineSendgridSendEmail = (
  options: { readonly baseUrl?: string } = {},
): Tool<Input, Output> => {
  const { href, host } = baseUrl(options.baseUrl ?? 'https://api.sendgrid.com');
  return defineTool({
    name: 'sendgrid_send_email',
    description: 'Sends one email through SendGrid, as text, HTML or both.',
    documentation:
      'The sender must be verified at SendGrid. With sandbox nothing is sent: SendGrid says whether it would take the message. Another address for the service goes into services.sendgrid.baseUrl.',
    source: 'builtin',
    category: 'service',
    tier: 'external_api',
    capabilities: [
      {
        action: 'send_email',
        description: 'Send an email through SendGrid.',
        requiresConfirmation: true,
        estimatedTime: 2000,
      },
    ],
    auth: authOf(SENDGRID, 'api_key'),
    permissions: ['tool:sendgrid_send_email'],
    needs: { hosts: [host] },
    cost: {
      model: 'free',
      freeTierLimit: 100,
      billingUrl: 'https://app.sendgrid.com/settings/billing',
    },
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 100, maxPerDay: 1000 },
    server: 'sendgrid',
    aliases: ['sendgrid_send', 'sendgrid:send_email'],
    tags: ['email', 'mail', 'send', 'sendgrid'],
    examples: [
      {
        title: 'Send a text',
        input: {
          to: 'ada@example.com',
          from: 'shop@example.com',
          subject: 'Your lamp',
          text: 'It is on its way.',
        },
        output: { status: 'queued', recipients: 1 },
      },
    ],
    input,
    output,
    run: (request, context) => send(request, context, `${href}/v3/mail/send`),
  });
};
