import { describe, expect, it } from 'vitest';
import { ERRORS, isErrorCode, ToolFailure, toolError } from './errors.ts';

describe('the table of errors', () => {
  it('gives every code all its columns', () => {
    for (const [code, row] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[A-Z][A-Z_]+$/);
      expect(row.http).toBeGreaterThanOrEqual(200);
      expect(row.rpc).toBeLessThan(-32000);
      expect([1, 2, 3, 4, 5]).toContain(row.exit);
      expect(row.sentence).toMatch(/\.$/);
      expect(row.retryable && !row.recoverable).toBe(false);
    }
  });

  it('leaves 401 to the door: no failure of a tool says that its caller is not signed in', () => {
    const said = Object.values(ERRORS).map(({ http }): number => http);
    expect(said).not.toContain(401);
  });

  it('knows its own codes only', () => {
    expect(isErrorCode('TIMEOUT')).toBe(true);
    for (const no of ['toString', 'constructor', '', 5, undefined])
      expect(isErrorCode(no)).toBe(false);
  });

  it('fills an error from the table, and lets a tool know better about one failure', () => {
    expect(toolError('NETWORK')).toEqual({
      code: 'NETWORK',
      message: ERRORS.NETWORK.sentence,
      type: 'network',
      severity: 'medium',
      recoverable: true,
      retryable: true,
      suggestions: [],
    });
    expect(toolError('NETWORK', 'no', { retryable: false }).retryable).toBe(false);
  });

  it('a failure carries its code', () => {
    expect(new ToolFailure('LOCK')).toMatchObject({ code: 'LOCK', message: ERRORS.LOCK.sentence });
  });
});
