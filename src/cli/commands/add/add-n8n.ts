/** `toolcrib add n8n`: an n8n instance, by its address. */
import type { Command } from 'commander';
import { parseUrl } from '../../../kit/http/parse-url.ts';
import { misuse } from '../../input/misuse.ts';
import type { AddKind } from './add-kind.ts';

export interface AddN8nOptions {
  /** Keys of secrets. */
  readonly apiKey?: string;
  readonly webhookSecret?: string;
  readonly discover?: boolean;
  readonly shipped?: boolean;
  readonly callbackUrl?: string;
}

/** The keys under which the secrets are kept unless the user names others. */
const KEYS = { api: 'N8N_API_KEY', webhook: 'N8N_WEBHOOK_SECRET' };
const SECRET_KEY = /^[A-Za-z0-9_.-]{1,200}$/;
/** Matches pages of the editor, whose address begins with that of the instance. */
const EDITOR_PATH = /\/(?:home|workflow|workflows|projects|signin|settings)(?:\/.*)?$/;

/** Returns the address of the n8n instance, also when the address of an editor page was typed. */
const baseUrlOf = (typed: string): string => {
  const url = parseUrl(typed);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw misuse(
      'n8n is given as an address without user name and password.',
      'For example: toolcrib add n8n http://localhost:5678',
    );
  }
  return `${url.origin}${url.pathname.replace(EDITOR_PATH, '').replace(/\/$/, '')}`;
};

const secretKey = (option: string, key: string): string => {
  if (SECRET_KEY.test(key)) return key;
  throw misuse(
    `${option} takes the key of a secret, not the secret itself.`,
    `Set the secret with: toolcrib secrets set ${KEYS.webhook}`,
  );
};

export const addN8n: AddKind<AddN8nOptions> = {
  kind: 'n8n',
  summary: 'workflows of an n8n',
  address: 'the address of n8n',
  examples: [
    'toolcrib add n8n http://localhost:5678 --discover',
    'toolcrib add n8n https://n8n.example.com --shipped --name flows',
  ],
  recognises: (address) => {
    if (!URL.canParse(address)) return false;
    const { hostname, port, protocol } = new URL(address);
    if (protocol !== 'http:' && protocol !== 'https:') return false;
    return port === '5678' || /(?:^|\.)n8n\./i.test(hostname) || /\.n8n\.cloud$/i.test(hostname);
  },
  options: (command: Command) =>
    command
      .option('--discover', 'make a tool of every published workflow with a webhook')
      .option('--shipped', 'add send_email, create_calendar_event and send_notification')
      .option('--api-key <key>', `the key of the secret with the API key (${KEYS.api})`)
      .option('--webhook-secret <key>', `the key of the webhook secret (${KEYS.webhook})`)
      .option('--callback-url <address>', 'where n8n reaches the server of Toolcrib'),
  source: async ({ address, name, options }) => {
    const { discover, shipped, callbackUrl } = options;
    if (!discover && !shipped) {
      throw misuse(
        'Say which workflows become tools.',
        'With --discover those that are published, with --shipped those that come with Toolcrib.',
        'Single ones are written into sources.n8n.<name>.workflows of the configuration.',
      );
    }
    const webhookSecret = secretKey('--webhook-secret', options.webhookSecret ?? KEYS.webhook);
    const apiKey = discover ? secretKey('--api-key', options.apiKey ?? KEYS.api) : undefined;
    const settings = {
      baseUrl: baseUrlOf(address),
      webhookSecret,
      ...(apiKey !== undefined && { apiKey, discover }),
      ...(shipped && { shipped }),
      ...(callbackUrl !== undefined && { callbackUrl }),
    };
    const secrets = [webhookSecret, ...(apiKey === undefined ? [] : [apiKey])];
    return { name: name ?? 'n8n', settings, secrets };
  },
};
