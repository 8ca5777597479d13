import { describe, expect, it } from 'vitest';
import { createAddressJudge, parseAddress } from './address-judge.ts';

describe('address judge', () => {
  const judge = createAddressJudge();

  it.each([
    ['127.0.0.1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['0.0.0.0', 'unspecified'],
    ['255.255.255.255', 'broadcast'],
    ['224.0.0.1', 'multicast'],
    ['203.0.113.9', 'reserved'],
    ['::1', 'loopback'],
    ['fd00::1', 'unique-local'],
    ['fe80::1', 'link-local'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['::8.8.8.8', 'reserved'],
    ['3ffe::1', 'reserved'],
    ['4000::1', 'reserved'],
  ])('%s is local: %s', (address, what) => {
    expect(judge(address)).toEqual({ kind: 'local', what });
  });

  it('judges an address that cannot be parsed as not public', () => {
    for (const text of [
      '',
      'x',
      '127.1',
      '010.0.0.1',
      '0x7f000001',
      'fe80::1%eth0',
      '::1%lo',
      '1',
    ]) {
      expect(judge(text).kind).toBe('unreadable');
    }
  });

  it('reads an address in one way only', () => {
    expect(parseAddress('::8.8.8.8')?.kind()).toBe('ipv6');
    expect(parseAddress('::ffff:8.8.8.8')?.toString()).toBe('8.8.8.8');
  });
});
