import { describe, expect, it } from 'vitest';
import { actionsText, subjectText } from './grant-text.ts';
import { EMPTY_TOKEN, tokenBody, tokenProblems } from './token-form.ts';
import { boundsText, tokenStatus } from './token-status.ts';

describe('a new token', () => {
  const form = { ...EMPTY_TOKEN, name: 'ci' };

  it('ends by itself unless told otherwise', () => {
    expect(tokenBody(form)).toEqual({ name: 'ci', role: 'agent', expiresInDays: 90 });
    expect(tokenBody({ ...form, days: ' ' })).not.toHaveProperty('expiresInDays');
  });

  it('takes along what narrows it', () => {
    const narrow = {
      ...form,
      tools: 'file_read, web_search',
      dailyUsd: '0.5',
      isolation: 'strict',
    };
    expect(tokenProblems(narrow)).toEqual({});
    expect(tokenBody(narrow)).toMatchObject({
      tools: ['file_read', 'web_search'],
      dailyUsd: 0.5,
      isolation: 'strict',
    });
    expect(tokenBody({ ...form, dailyUsd: '0' })).toMatchObject({ dailyUsd: 0 });
  });

  it.each(['', ' ', '.ci', 'two words', 'a'.repeat(65), 'ci\u202E'])('is not called %j', (name) => {
    expect(tokenProblems({ ...form, name })).toHaveProperty('name');
  });

  it.each([
    ['days', '0'],
    ['days', '-1'],
    ['days', '3651'],
    ['days', 'soon'],
    ['days', '1e3'],
    ['dailyUsd', '-1'],
    ['dailyUsd', '5 $'],
    ['dailyUsd', '0x10'],
    ['dailyUsd', '2000000'],
  ])('is not made with %s of %j', (field, value) => {
    expect(tokenProblems({ ...form, [field]: value })).toHaveProperty(field);
  });
});

describe('a token', () => {
  it('opens the door until it ends or is revoked', () => {
    expect(tokenStatus({}, 10).word).toBe('active');
    expect(tokenStatus({ expiresAt: 11 }, 10).word).toBe('active');
    expect(tokenStatus({ expiresAt: 10 }, 10).word).toBe('expired');
    expect(tokenStatus({ expiresAt: 11, revokedAt: 5 }, 10).word).toBe('revoked');
  });

  it('tells its bounds', () => {
    expect(boundsText({})).toBe('');
    expect(boundsText({ policy: { tools: ['a'] } })).toBe('only a');
    expect(boundsText({ policy: { tools: [], dailyUsd: 0, isolation: 'strict' } })).toBe(
      '0 tools, $0 a day, strict',
    );
  });
});

describe('a grant in words', () => {
  it('names whom it is for, or everybody', () => {
    expect(subjectText({ subject: { agent: 'ci', user: 'alice' } })).toBe('user alice, agent ci');
    expect(subjectText({ subject: {} })).toBe('everybody');
    expect(actionsText({ actions: ['read', 'write'] })).toBe('read, write');
    expect(actionsText({ actions: ['*', 'read'] })).toBe('all actions');
  });
});
