import { describe, expect, it } from 'vitest';
import { isLoopback, isLoopbackHost, localHosts } from './loopback.ts';

describe('isLoopback', () => {
  it.each([
    'http://localhost/a',
    'https://LOCALHOST:8443',
    'ws://127.0.0.1:9',
    'http://127.1.2.3',
    'http://2130706433',
    'http://[::1]:80',
    'http://[0:0:0:0:0:0:0:1]',
  ])('recognizes %s as this machine', (address) => {
    expect(isLoopback(new URL(address))).toBe(true);
  });

  it.each([
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://[::ffff:127.0.0.1]',
    'http://localhost.',
    'http://localhost@example.com',
    'http://127.0.0.1@example.com',
    'http://[::1]@example.com',
    // A scheme that the parser does not know leaves the host as it is written.
    'grpc://127.0.0.999',
  ])('does not take %s for this machine', (address) => {
    expect(isLoopback(new URL(address))).toBe(false);
  });
});

describe('isLoopbackHost', () => {
  it.each(['127.0.0.1', '127.8.9.10', '127.255.255.255', 'localhost', '::1'])(
    'recognizes %s as this machine',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '127.example.com',
    '127.0.0.999',
    '127.0.0.256',
    '127.0.0.01',
    '127.1',
    '127.0.0.1:80',
    ' 127.0.0.1',
    '127.0.0.1\n',
    '[::1]',
    '::1%eth0',
    '::ffff:127.0.0.1',
    'app.localhost',
    '',
  ])('does not take %j for this machine', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

describe('localHosts', () => {
  it('names host and port of an address of this machine, and nothing of any other', () => {
    expect(localHosts(new URL('http://localhost:5678/x'))).toEqual(['localhost:5678']);
    expect(localHosts(new URL('https://example.com'))).toEqual([]);
  });
});
