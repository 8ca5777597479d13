import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, toolError } from '../../contract/errors.ts';
import type { ToolResult, ToolStatus } from '../../contract/result.ts';
import { exitCodeOf } from './print-result.ts';

const result = (status: ToolStatus, code?: ErrorCode): ToolResult =>
  ({
    success: status === 'success',
    status,
    ...(code && { error: toolError(code) }),
  }) as ToolResult;

describe('exitCodeOf', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('%s is looked up in the table', (code) => {
    expect(exitCodeOf(result('failure', code))).toBe(ERRORS[code].exit);
  });

  it.each([
    ['success', 0],
    ['failure', 1],
    ['denied', 3],
    ['timeout', 4],
    ['cancelled', 4],
    ['pending', 5],
  ] as const)('%s without a code is %d', (status, code) => {
    expect(exitCodeOf(result(status))).toBe(code);
  });
});
