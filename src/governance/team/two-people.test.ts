import { describe, expect, it } from 'vitest';
import { assertTwoPeople, assertUsers } from './two-people.ts';

const token = (name: string, createdBy: string) => ({ name, createdBy });

describe('threat: one person who proposes and approves under two names', () => {
  it.each([
    ['the same name', 'token:eve', 'token:eve', []],
    ['a token of their own making', 'token:eve', 'token:b', [token('b', 'token:eve')]],
    ['the token that made theirs', 'token:b', 'token:eve', [token('b', 'token:eve')]],
    ['a token made while logged in', 'oidc:eve', 'token:b', [token('b', 'oidc:eve')]],
    ['a login that made the token', 'token:b', 'oidc:eve', [token('b', 'oidc:eve')]],
    [
      'a token made over a third one',
      'oidc:eve',
      'token:c',
      [token('b', 'oidc:eve'), token('c', 'token:b')],
    ],
  ])('is refused: %s', (_title, proposer, approver, tokens) => {
    expect(() => assertTwoPeople(proposer, approver, tokens)).toThrow('Somebody else');
  });

  it.each([
    [
      'tokens of two people',
      'token:ada',
      'token:bob',
      [token('ada', 'local'), token('bob', 'local')],
    ],
    ['two users who logged in', 'oidc:ada', 'oidc:bob', []],
    ['the owner of the machine', 'local', 'token:bob', [token('bob', 'local')]],
  ])('benign: %s approve', (_title, proposer, approver, tokens) => {
    expect(() => assertTwoPeople(proposer, approver, tokens)).not.toThrow();
  });
});

describe('threat: two tokens of one admin count as two people', () => {
  it.each([
    ['token:ada', 'token:bob'],
    ['oidc:ada', 'token:bob'],
    ['token:ada', 'oidc:bob'],
    ['local', 'oidc:bob'],
  ])('refuses %s and %s where only users review', (proposer, approver) => {
    expect(() => assertUsers(proposer, approver)).toThrow('Two users');
  });

  it('benign: takes two users who logged in', () => {
    expect(() => assertUsers('oidc:ada', 'oidc:bob')).not.toThrow();
  });
});
