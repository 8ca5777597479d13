import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/load/parse-config.ts';
import { type AddN8nOptions, addN8n } from './add-n8n.ts';

const add = (address: string, options: AddN8nOptions, name?: string) =>
  addN8n.source({ io: undefined as never, address, name, options });

describe('toolcrib add n8n', () => {
  it('makes settings that the configuration accepts, and names the secrets they need', async () => {
    const found = await add('http://localhost:5678/home/workflows', { discover: true });
    expect(found).toEqual({
      name: 'n8n',
      settings: {
        baseUrl: 'http://localhost:5678',
        webhookSecret: 'N8N_WEBHOOK_SECRET',
        apiKey: 'N8N_API_KEY',
        discover: true,
      },
      secrets: ['N8N_WEBHOOK_SECRET', 'N8N_API_KEY'],
    });
    const shipped = await add(
      'https://n8n.example.com/sub/',
      { shipped: true, webhookSecret: 'HOOK', callbackUrl: 'https://crib.example.com' },
      'flows',
    );
    expect(shipped.settings).toEqual({
      baseUrl: 'https://n8n.example.com/sub',
      webhookSecret: 'HOOK',
      shipped: true,
      callbackUrl: 'https://crib.example.com',
    });
    const sources = { n8n: { n8n: found.settings, flows: shipped.settings } };
    expect(() => parseConfig({ sources } as never)).not.toThrow();
  });

  it.each([
    ['n8n.example.com', { shipped: true }, 'address'],
    ['https://ada:secret@n8n.example.com', { shipped: true }, 'without user name'],
    ['http://localhost:5678', {}, 'Say which workflows'],
    ['http://localhost:5678', { shipped: true, webhookSecret: 'not a key' }, 'not the secret'],
  ])('refuses %s with %j', async (address, options, message) => {
    await expect(add(address, options)).rejects.toThrow(message);
  });

  it('recognises addresses of n8n and no others, and has its options', () => {
    const known = ['http://localhost:5678', 'https://n8n.example.com', 'https://a.app.n8n.cloud'];
    const others = ['https://example.com/n8n', 'petstore.yaml', 'ws://localhost:5678', 'n8n'];
    expect(known.map(addN8n.recognises)).toEqual([true, true, true]);
    expect(others.map(addN8n.recognises)).toEqual([false, false, false, false]);
    expect(addN8n.options(new Command()).options).toHaveLength(5);
  });
});
