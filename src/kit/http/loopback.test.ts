import { describe, expect, it } from 'vitest';
import { isLoopback, localHosts } from './loopback.ts';

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
  ])('does not take %s for this machine', (address) => {
    expect(isLoopback(new URL(address))).toBe(false);
  });
});

describe('localHosts', () => {
  it('names host and port of an address of this machine, and nothing of any other', () => {
    expect(localHosts(new URL('http://localhost:5678/x'))).toEqual(['localhost:5678']);
    expect(localHosts(new URL('https://example.com'))).toEqual([]);
  });
});
