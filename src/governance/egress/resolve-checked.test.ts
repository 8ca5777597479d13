import { describe, expect, it } from 'vitest';
import { codeOf, lookupIn, type Zone } from '../../../test/fixtures/local-site.ts';
import { createEgress } from './create-egress.ts';
import { createAddressRules } from './judge-url.ts';
import {
  type Lookup,
  resolveChecked,
  resolveDestination,
  systemLookup,
} from './resolve-checked.ts';

describe('resolving', () => {
  const resolve = (lookup: Lookup, host = 'a.example') =>
    resolveChecked({ host, port: 80 }, { lookup, rules: createAddressRules(), timeoutMs: 50 });
  const answering = (...answers: string[]) => resolve(() => Promise.resolve(answers));

  it('gives every public answer with its family', async () => {
    expect(await answering('93.184.216.34', '2606:4700::1')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it('does not ask for a literal address', async () => {
    const never: Lookup = () => Promise.reject(new Error('asked'));
    expect(await resolve(never, '8.8.8.8')).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });

  it('tells a name of a private address from an attack', async () => {
    expect(await codeOf(answering('10.0.0.1'))).toBe('PERMISSION_DENIED');
    expect(await codeOf(answering('10.0.0.1', '10.0.0.2'))).toBe('PERMISSION_DENIED');
    expect(await codeOf(answering('8.8.8.8', '10.0.0.1'))).toBe('SECURITY_VIOLATION');
    expect(await codeOf(answering('10.0.0.1', '169.254.169.254'))).toBe('SECURITY_VIOLATION');
  });

  it('fails by the network: no answer, an error, a throw, silence', async () => {
    expect(await codeOf(answering())).toBe('NETWORK');
    expect(await codeOf(resolve(() => Promise.reject(new Error('ENOTFOUND'))))).toBe('NETWORK');
    const throwing: Lookup = () => {
      throw new Error('x');
    };
    expect(await codeOf(resolve(throwing))).toBe('NETWORK');
    expect(await codeOf(resolve(() => new Promise(() => undefined)))).toBe('TIMEOUT');
  });

  it('asks the system resolver by default, which resolves names of this machine', async () => {
    const answers = await systemLookup('localhost');
    expect(answers.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(answers.length).toBeGreaterThan(0);
    expect(await codeOf(resolve(systemLookup, 'localhost'))).toBe('PERMISSION_DENIED');
  });
});

const ZONE: Zone = {
  'db.example.com': ['93.184.216.34'],
  'inner.example.com': ['10.0.0.5'],
  'mixed.example.com': ['93.184.216.34', '169.254.169.254'],
  localhost: ['127.0.0.1'],
};

const ask = (host: string, port = 5432, allowPrivate: readonly string[] = []) => {
  const visited: string[] = [];
  const { lookup, asked } = lookupIn(ZONE);
  const egress = createEgress({ lookup, allowPrivate });
  const scope = {
    hosts: ['*.example.com', 'localhost', '10.0.0.5', '[::1]', '2130706433', '169.254.169.254'],
    signal: () => new AbortController().signal,
    onHop: ({ href }: URL) => void visited.push(href),
  };
  return { answer: egress.resolve({ host, port }, scope), visited, asked };
};

describe('benign: an address for another protocol', () => {
  it.each([
    ['db.example.com', [], '93.184.216.34'],
    ['DB.example.com.', [], '93.184.216.34'],
    ['inner.example.com', ['10.0.0.0/8'], '10.0.0.5'],
    ['10.0.0.5', ['10.0.0.5:5432'], '10.0.0.5'],
    ['localhost', ['localhost'], '127.0.0.1'],
    ['::1', ['::1'], '::1'],
  ])('%s', async (host, allowPrivate, address) => {
    const { answer } = ask(host, 5432, allowPrivate);
    expect(await answer).toBe(address);
  });

  it('a destination is reported once and its name looked up once', async () => {
    const { answer, visited, asked } = ask('db.example.com');
    await answer;
    expect([visited, asked]).toEqual([['tcp://db.example.com:5432'], ['db.example.com']]);
  });
});

describe('threat: a connection past the egress guard', () => {
  it.each([
    ['a host that was not declared', 'db.example.org', 'PERMISSION_DENIED'],
    ['a name that only ends alike', 'evilexample.com', 'PERMISSION_DENIED'],
    ['a private address', '10.0.0.5', 'PERMISSION_DENIED'],
    ['a name of a private address', 'inner.example.com', 'PERMISSION_DENIED'],
    ['this machine', 'localhost', 'PERMISSION_DENIED'],
    ['a metadata service', '169.254.169.254', 'SECURITY_VIOLATION'],
    ['a good answer beside a bad one', 'mixed.example.com', 'SECURITY_VIOLATION'],
    ['another spelling of this machine', '2130706433', 'PERMISSION_DENIED'],
    ['an address in the clothes of a host', 'db.example.com/x', 'VALIDATION_ERROR'],
    ['a user before the host', 'db.example.com@10.0.0.5', 'VALIDATION_ERROR'],
    ['a name without an address', 'gone.example.com', 'NETWORK'],
    ['nothing', '', 'VALIDATION_ERROR'],
  ])('hostile: %s', async (_what, host, code) => {
    expect(await codeOf(ask(host).answer)).toBe(code);
  });

  it.each([0, -1, 65_536, 1.5, Number.NaN])(
    'hostile: port %d is refused as a destination',
    async (port) => {
      expect(await codeOf(ask('db.example.com', port).answer)).toBe('VALIDATION_ERROR');
    },
  );

  it('a name that resolves to no address is refused', async () => {
    const deps = { rules: createAddressRules(), resolve: async () => [] };
    const scope = { hosts: ['*'], onHop: () => undefined };
    const to = { host: 'db.example.com', port: 1 };
    expect(await codeOf(resolveDestination(to, scope, deps))).toBe('VALIDATION_ERROR');
  });
});
