import { describe, expect, it } from 'vitest';
import { isExposed } from './is-exposed.ts';

describe('isExposed', () => {
  it.each([
    '127.0.0.1:5432/toolcrib',
    '127.1.2.3:5432/toolcrib',
    'localhost:5432/toolcrib',
    '::1:5432/toolcrib',
    '[::1]:5432/toolcrib',
    '/run/postgresql:5432/toolcrib',
  ])('says that a connection to %s stays on this machine', (address) => {
    expect(isExposed(address, 'postgres://u@h/d')).toBe(false);
  });

  it.each([
    'db.example.com:5432/toolcrib',
    '127.example.com:5432/toolcrib',
    '127.0.0.1.example.com:5432/toolcrib',
    'localhost.example.com:5432/toolcrib',
    'db.example.com:5432/localhost:5432/toolcrib',
  ])('hostile: says that a connection to %s leaves this machine unencrypted', (address) => {
    expect(isExposed(address, 'postgres://u@h/d')).toBe(true);
  });

  it('says that an address with sslmode is encrypted', () => {
    const url = 'postgres://u@db.example.com/toolcrib?sslmode=verify-full';
    expect(isExposed('db.example.com:5432/toolcrib', url)).toBe(false);
  });
});
