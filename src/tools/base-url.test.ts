import { describe, expect, it } from 'vitest';
import { baseUrl } from './base-url.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com', 'api.example.com'],
    ['http://127.0.0.1:8080/v1//', 'http://127.0.0.1:8080/v1', '127.0.0.1:8080'],
  ])('%s is read', (text, href, host) => {
    expect(baseUrl(text)).toEqual({ href, host });
  });

  it.each([
    'nowhere',
    'ftp://example.com',
    'https://user@example.com',
    'https://:pass@example.com',
    'https://example.com/?a=b',
    'https://example.com/#a',
  ])('hostile: %s is refused', (text) => {
    expect(() => baseUrl(text)).toThrow('A base URL is');
  });
});
