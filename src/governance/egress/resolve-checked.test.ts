import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../test/fixtures/local-site.ts';
import { createAddressRules } from './judge-url.ts';
import { type Lookup, resolveChecked, systemLookup } from './resolve-checked.ts';

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

  it('tells a private name from an attack', async () => {
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

  it('asks the system by default, which knows this machine', async () => {
    const answers = await systemLookup('localhost');
    expect(answers.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(answers.length).toBeGreaterThan(0);
    expect(await codeOf(resolve(systemLookup, 'localhost'))).toBe('PERMISSION_DENIED');
  });
});
