import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { networkFailure } from './network-failure.ts';

describe('network failures', () => {
  const coded = (code: string): Error => Object.assign(new Error('s3cret'), { code });
  const wrapped = (cause: unknown): Error => new TypeError('fetch failed', { cause });

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', 'TIMEOUT'],
    ['ETIMEDOUT', 'TIMEOUT'],
    ['ECONNREFUSED', 'NETWORK'],
    ['CERT_HAS_EXPIRED', 'NETWORK'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'OUTPUT_TOO_LARGE'],
    ['constructor', 'NETWORK'],
  ])('%s becomes %s, without the words of the other side', (code, expected) => {
    for (const error of [coded(code), wrapped(coded(code)), wrapped(wrapped(coded(code)))]) {
      expect(networkFailure(error).code).toBe(expected);
      expect(networkFailure(error).message).not.toContain('s3cret');
    }
  });

  it('says that nothing listens, and that a host does not speak TLS', () => {
    expect(networkFailure(coded('ECONNREFUSED')).message).toContain('nothing listens');
    expect(networkFailure(coded('ERR_SSL_WRONG_VERSION_NUMBER')).message).toContain('http://');
  });

  it('keeps a refusal of the guard and turns any other error into a network failure', () => {
    const refusal = new ToolFailure('SECURITY_VIOLATION');
    expect(networkFailure(wrapped(refusal))).toBe(refusal);
    for (const odd of [undefined, 'x', new Error('x'), wrapped('x')]) {
      expect(networkFailure(odd).code).toBe('NETWORK');
    }
  });
});
