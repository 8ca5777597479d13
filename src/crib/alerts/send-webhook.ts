/** Posts a notification to a configured address, signed, through the egress guard. */
import { createHmac } from 'node:crypto';
import type { AlertNotification, WebhookAction } from '../../contract/alerts.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Egress } from '../../governance/egress/create-egress.ts';
import { parseUrl } from '../../kit/http/parse-url.ts';
import { postJson } from '../sources/post-json.ts';

const TIMEOUT_MS = 10_000;
const TOO_MANY = 429;
const REQUEST_TIMEOUT = 408;
const SERVER_FAULT = 500;

export interface SendWebhookDeps {
  readonly egress: Pick<Egress, 'fetch'>;
  /** Reads a secret, and makes the redactor hide its value. */
  secret(key: string): Promise<string | undefined>;
  now(): number;
}

const REFERENCE = /^\$\{secret:([A-Za-z0-9_.:-]+)\}$/;

const secretOf = async (key: string, { secret }: SendWebhookDeps): Promise<string> => {
  const value = (await secret(key))?.trim() ?? '';
  if (value !== '') return value;
  throw new ToolFailure('AUTH_MISSING', `There is no secret ${key}.`, {
    suggestions: [`Keep it: toolcrib secrets set ${key}`],
    retryable: true,
  });
};

/** Reads the address. A secret that holds no address is refused without showing its value. */
const addressOf = async ({ url }: WebhookAction, deps: SendWebhookDeps): Promise<URL> => {
  const [, key] = REFERENCE.exec(url) ?? [];
  if (key === undefined) return new URL(url);
  const value = await secretOf(key, deps);
  const address = parseUrl(value);
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new ToolFailure('CONFIG_INVALID', `The secret ${key} holds no http(s) address.`, {
    suggestions: [`Set it again: toolcrib secrets set ${key}`],
  });
};

/** Writes the line for chat programs, which show the field `text`. */
const textOf = ({ type, severity, alert, subject, summary }: AlertNotification): string => {
  const what = { 'alert.fired': 'FIRING', 'alert.resolved': 'RESOLVED', 'alert.tested': 'TEST' };
  return `[${what[type]}, ${severity}] ${alert}${subject === '' ? '' : ` (${subject})`}: ${summary}`;
};

/** Signs time and body, as callbacks to this program are signed. */
const signatureHeaders = (body: string, secret: string, now: number) => {
  const timestamp = String(Math.floor(now / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return { 'x-toolcrib-timestamp': timestamp, 'x-toolcrib-signature': `sha256=${digest}` };
};

const isWorthAnotherTry = (status: number): boolean =>
  status === TOO_MANY || status === REQUEST_TIMEOUT || status >= SERVER_FAULT;

export const sendWebhook = async (
  action: WebhookAction,
  notification: AlertNotification,
  deps: SendWebhookDeps,
): Promise<void> => {
  const { secret: key, timeoutMs = TIMEOUT_MS } = action;
  const address = await addressOf(action, deps);
  const body = JSON.stringify({ ...notification, text: textOf(notification) });
  const signed =
    key === undefined ? {} : signatureHeaders(body, await secretOf(key, deps), deps.now());
  await postJson(deps.egress, address, {
    body,
    headers: {
      'idempotency-key': notification.id,
      'x-toolcrib-delivery': notification.id,
      ...signed,
    },
    timeoutMs,
    receiver: 'The webhook',
    isRetryable: isWorthAnotherTry,
  });
};
