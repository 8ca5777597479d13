import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../../contract/errors.ts';
import { statusFailure } from './status-failure.ts';

const redact = (text: string): string => text.replaceAll('hunter2', '***');

const failed = (code: number, details = 'so it is', isRepeatable = false): ToolFailure => {
  const error = Object.assign(new Error(details), { code, details, metadata: new Metadata() });
  return statusFailure(error, { redact, isRepeatable });
};

describe('the failure of a status', () => {
  it.each([
    [1, 'SERVER_ERROR', 'CANCELLED'],
    [2, 'SERVER_ERROR', 'UNKNOWN'],
    [3, 'VALIDATION_ERROR', 'INVALID_ARGUMENT'],
    [4, 'TIMEOUT', 'DEADLINE_EXCEEDED'],
    [5, 'NOT_FOUND', 'NOT_FOUND'],
    [6, 'CONFLICT', 'ALREADY_EXISTS'],
    [7, 'AUTH_MISSING', 'PERMISSION_DENIED'],
    [8, 'RATE_LIMITED', 'RESOURCE_EXHAUSTED'],
    [9, 'PRECONDITION_FAILED', 'FAILED_PRECONDITION'],
    [10, 'CONFLICT', 'ABORTED'],
    [11, 'VALIDATION_ERROR', 'OUT_OF_RANGE'],
    [12, 'EXECUTION_FAILED', 'UNIMPLEMENTED'],
    [13, 'SERVER_ERROR', 'INTERNAL'],
    [14, 'SERVER_ERROR', 'UNAVAILABLE'],
    [15, 'SERVER_ERROR', 'DATA_LOSS'],
    [16, 'AUTH_MISSING', 'UNAUTHENTICATED'],
    [99, 'SERVER_ERROR', 'status 99'],
  ])('%i has the code %s', (status, code, name) => {
    const failure = failed(status);
    expect(failure.code).toBe(code);
    expect(failure.message).toBe(`The server answered ${name}: so it is`);
  });

  it('is to be tried again only where that can do no harm', () => {
    for (const status of [1, 2, 4, 13, 14]) {
      expect(failed(status).extras.retryable).toBe(false);
      expect(failed(status, '', true).extras.retryable).toBe(true);
    }
    // Nothing was sent: the table says that it may be tried again.
    const unconnected = failed(14, 'No connection established. Last error: ECONNREFUSED');
    expect(unconnected).toMatchObject({ code: 'NETWORK' });
    expect(unconnected.extras).not.toHaveProperty('retryable');
  });

  it('tells an answer that is too large from a server that has enough of us', () => {
    const large = failed(8, 'Received message larger than max (10 vs 5)');
    expect(large.code).toBe('OUTPUT_TOO_LARGE');
  });

  it('shows neither secrets nor hidden characters, and no more than a part of a long text', () => {
    const { message } = failed(3, `hunter2\u202e${'x'.repeat(5000)}`);
    expect(message).toContain('***\\u202exxx');
    expect(message.length).toBeLessThan(1100);
  });

  it('is a network failure for any other error, and a coded failure stays unchanged', () => {
    const other = statusFailure(new Error('hunter2'), { redact, isRepeatable: false });
    expect(other).toMatchObject({ code: 'NETWORK', message: '***' });
    const own = new ToolFailure('CONFLICT', 'x');
    expect(statusFailure(own, { redact, isRepeatable: false })).toBe(own);
  });
});
