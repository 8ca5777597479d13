import { describe, expect, it } from 'vitest';
import { createOriginCheck, type OriginOptions } from './check-origin.ts';
import { fromWebRequest } from './http-request.ts';

const check = (headers: Record<string, string>, options: OriginOptions = {}) =>
  createOriginCheck(options).refuse(
    fromWebRequest(new Request('http://127.0.0.1:7420/mcp', { headers }), ''),
  );

const host = '127.0.0.1:7420';

describe('a request is let through', () => {
  it.each<[string, Record<string, string>, OriginOptions]>([
    ['from this machine', { host }, {}],
    ['by the name of this machine in capitals', { host: 'LOCALHOST:7420' }, {}],
    ['from a page of the server itself', { host, origin: `http://${host}` }, {}],
    ['by a configured host', { host: 'tools.example.com' }, { hosts: ['tools.example.com'] }],
    [
      'from a configured origin',
      { host, origin: 'https://a.example' },
      { origins: ['https://a.example'] },
    ],
    ['by the public address', { host: 'crib.example' }, { publicUrl: 'https://crib.example/x' }],
    [
      'from a local page where any port will do',
      { host, origin: 'http://localhost:3000' },
      { anyLocalPort: true },
    ],
    [
      'from a local IPv6 page where any port will do',
      { host, origin: 'http://[::1]:3000' },
      { anyLocalPort: true },
    ],
  ])('%s', (_what, headers, options) => {
    expect(check(headers, options)).toBeUndefined();
  });
});

describe('threat: a request is refused', () => {
  it.each<[string, Record<string, string>, OriginOptions, string]>([
    ['without a host', {}, {}, 'host'],
    ['by a foreign host', { host: 'evil.example' }, {}, 'host'],
    ['by a host that ends like ours', { host: 'notlocalhost' }, {}, 'host'],
    ['by a host with a user in it', { host: 'localhost@evil.example' }, {}, 'host'],
    ['by a host with a path in it', { host: 'localhost/evil' }, {}, 'host'],
    ['from a page on another local port', { host, origin: 'http://127.0.0.1:3000' }, {}, 'origin'],
    ['from a page without an origin', { host, origin: 'null' }, { anyLocalPort: true }, 'origin'],
    [
      'from a page with ours in its name',
      { host, origin: 'http://localhost.evil.example' },
      { anyLocalPort: true },
      'origin',
    ],
    [
      'from a page with a user in its address',
      { host, origin: 'http://localhost:3000@evil.example' },
      { anyLocalPort: true },
      'origin',
    ],
    [
      'from a page of another scheme',
      { host, origin: 'file://localhost' },
      { anyLocalPort: true },
      'origin',
    ],
    [
      'from a page of a configured host that is no configured origin',
      { host, origin: 'https://tools.example.com' },
      { hosts: ['tools.example.com'] },
      'origin',
    ],
  ])('%s', (_what, headers, options, fault) => {
    expect(check(headers, options)).toBe(fault);
  });
});

it('threat: an accepted host does not make the next one accepted', () => {
  const { refuse } = createOriginCheck({});
  const of = (name: string) =>
    fromWebRequest(new Request('http://localhost/', { headers: { host: name } }), '');
  expect([host, 'evil.example', '', host].map((name) => refuse(of(name)))).toEqual([
    undefined,
    'host',
    'host',
    undefined,
  ]);
});

it('an origin without a scheme is refused when the check is made', () => {
  expect(() => createOriginCheck({ origins: ['ops.example.com'] })).toThrow(TypeError);
});
