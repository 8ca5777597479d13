import { describe, expect, it } from 'vitest';
import { narrowProject } from '../../../trust/narrow-project.ts';
import { ConfigError } from '../../config-error.ts';
import { configShape } from '../../document/read-config-shape.ts';
import { parseConfig } from '../../load/parse-config.ts';

describe('services', () => {
  it('have the addresses of the vendors by default', () => {
    const { stripe, sendgrid, vercel, supabase, postgres, search } = parseConfig({}).services;
    expect([stripe, sendgrid, vercel]).toEqual([
      { baseUrl: 'https://api.stripe.com' },
      { baseUrl: 'https://api.sendgrid.com' },
      { baseUrl: 'https://api.vercel.com' },
    ]);
    expect([supabase, postgres, search]).toEqual([{}, { hosts: [] }, { provider: 'brave' }]);
  });

  it('can be given another address', () => {
    const search = { provider: 'searxng' as const, baseUrl: 'https://search.example.com/x' };
    expect(parseConfig({ services: { search } }).services.search).toEqual(search);
    const stripe = { baseUrl: 'http://127.0.0.1:12111' };
    expect(parseConfig({ services: { stripe } }).services.stripe).toEqual(stripe);
  });

  it('takes the credential of a host, sent as a bearer token unless told otherwise', () => {
    const credentials = {
      'api.example.com': { secret: 'EXAMPLE_TOKEN' },
      '127.0.0.1:8080': { secret: 'LOCAL', scheme: 'basic' as const, username: 'ada' },
      '[::1]:8080': { secret: 'LOCAL', scheme: 'header' as const, header: 'X-Api-Key' },
    };
    expect(parseConfig({ services: { credentials } }).services.credentials).toEqual({
      ...credentials,
      'api.example.com': { secret: 'EXAMPLE_TOKEN', scheme: 'bearer' },
    });
  });

  it.each([
    [{ stripe: { baseUrl: 'ftp://x' } }, /services\.stripe\.baseUrl/],
    [{ stripe: { baseUrl: 'https://a:b@x' } }, /services\.stripe\.baseUrl/],
    [{ vercel: { baseUrl: 'https://x/?a=1' } }, /without query/],
    [{ vercel: { baseUrl: 'https://x/#a' } }, /without query/],
    [{ search: { provider: 'searxng' } }, /searxng needs "baseUrl"/],
    [{ search: { provider: 'altavista' } }, /services\.search\.provider/],
    [{ postgres: { hosts: ['*'] } }, /services\.postgres\.hosts/],
    [{ postgres: { hosts: ['postgres://x'] } }, /services\.postgres\.hosts/],
    [{ github: {} }, /services/],
    [{ credentials: { 'api.example.com': 'ghp_x' } }, /credentials/],
    [{ credentials: { 'api.example.com': {} } }, /secret/],
    [{ credentials: { 'https://api.example.com': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { 'API.example.com': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { 'api.example.com/x': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { '*.example.com': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { 'a@api.example.com': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { 'api.example.com:443': { secret: 'K' } } }, /expected a host/],
    [{ credentials: { 'x.org': { secret: 'K', scheme: 'header' } } }, /needs "header"/],
    [{ credentials: { 'x.org': { secret: 'K', header: 'X-Key' } } }, /only scheme header/],
    [{ credentials: { 'x.org': { secret: 'K', username: 'ada' } } }, /only scheme basic/],
    [{ credentials: { 'x.org': { secret: 'K', scheme: 'header', header: 'a b' } } }, /header/],
  ])('refuses %j', (services, message) => {
    const parse = () => parseConfig({ services } as never);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(message);
  });
});

describe('threat: a project points credentials elsewhere', () => {
  const narrow = (services: object, user: object = {}) =>
    narrowProject(
      { path: 'P', value: { services }, position: () => undefined },
      { services: user },
      { shape: configShape(), projectDir: '/nowhere' },
    );

  it.each([
    [{ stripe: { baseUrl: 'https://evil.example' } }],
    [{ sendgrid: { baseUrl: 'https://evil.example' } }],
    [{ vercel: { baseUrl: 'https://evil.example' } }],
    [{ supabase: { baseUrl: 'https://evil.example' } }],
    [{ search: { baseUrl: 'https://evil.example' } }],
    [{ search: { provider: 'searxng' } }],
    [{ credentials: { 'evil.example': { secret: 'GITHUB_TOKEN' } } }],
  ])('hostile: %j is not taken', async (services) => {
    const { layer, narrowed } = await narrow(services);
    expect([layer.value, narrowed.length]).toEqual([{}, 1]);
  });

  it('hostile: another PostgreSQL server is not taken', async () => {
    const hosts = ['db.example.com', 'evil.example'];
    const { layer } = await narrow(
      { postgres: { hosts } },
      { postgres: { hosts: hosts.slice(0, 1) } },
    );
    expect(layer.value).toEqual({ services: { postgres: { hosts: ['db.example.com'] } } });
  });

  it('benign: the same as yours, or fewer, is taken', async () => {
    const same = { stripe: { baseUrl: 'https://api.stripe.com' } };
    expect((await narrow(same)).narrowed).toEqual([]);
    const fewer = await narrow({ postgres: { hosts: [] } }, { postgres: { hosts: ['a'] } });
    expect(fewer.layer.value).toEqual({ services: { postgres: { hosts: [] } } });
  });
});
