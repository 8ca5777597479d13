import { describe, expect, it } from 'vitest';
import { parseConfig } from '../load/parse-config.ts';

const parsed = (server: unknown) => parseConfig({ server } as never).server;

describe('the server section', () => {
  it('listens on this machine unless told otherwise', () => {
    expect(parsed({})).toMatchObject({
      host: '127.0.0.1',
      port: 7420,
      allowedHosts: [],
      behindTls: false,
      openMetrics: false,
    });
  });

  it.each([
    ['a port that is none', { port: 70_000 }],
    ['a host name with a port', { allowedHosts: ['ops.example.com:80'] }],
    ['any host', { allowedHosts: ['*'] }],
    ['an origin with a path', { allowedOrigins: ['https://ops.example.com/x'] }],
    ['any origin', { allowedOrigins: ['*'] }],
    ['the origin of no page', { allowedOrigins: ['null'] }],
    ['credentials in the address', { publicUrl: 'https://user:word@ops.example.com' }],
    ['an issuer without an audience', { oidc: { issuer: 'https://id.example.com' } }],
    ['an audience without an issuer', { oidc: { audience: 'toolcrib' } }],
    ['a setting that does not exist', { insecure: true }],
  ])('refuses %s', (_, server) => {
    expect(() => parsed(server)).toThrow();
  });

  it('takes an issuer with its audience', () => {
    const oidc = { issuer: 'https://id.example.com', audience: 'toolcrib' };
    expect(parsed({ oidc }).oidc).toMatchObject({ ...oidc, roleClaim: 'toolcrib_role' });
  });
});
