import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../contract/errors.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { refuseWithoutStore } from './refuse-without-store.ts';

const refusal = (error: unknown) => {
  const lines: string[] = [];
  const note = (message: string): void => {
    lines.push(message);
  };
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  const call = { executionId: 'x1', toolName: 'echo', rawInput: {}, as: undefined, error };
  return { error: refuseWithoutStore(call, createRuntime({ log })).error, lines };
};

describe('a call while the store cannot be opened', () => {
  it('fails with the code, cause and remedy of a wrong configuration, told once', () => {
    const suggestions = ['chmod 600 on the file.'];
    const { error, lines } = refusal(
      new ToolFailure('CONFIG_INVALID', 'Bad key.', { suggestions }),
    );
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: 'Bad key.', suggestions });
    expect(lines).toEqual([]);
  });

  it('has the cause in its message and the remedy in its advice where a later try may succeed', () => {
    const suggestions = ['Make the folder writable.'];
    const { error } = refusal(new ToolFailure('STORE_UNAVAILABLE', 'No file /a.', { suggestions }));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', suggestions });
    expect(error?.message).toBe('The store cannot be opened, so nothing was run: No file /a.');
  });

  it('keeps a cause without a code out of the answer, and in the log', () => {
    const { error, lines } = refusal(new Error('secret address'));
    expect(JSON.stringify(error)).not.toContain('secret address');
    expect(error?.code).toBe('STORE_UNAVAILABLE');
    expect(lines).toHaveLength(1);
  });
});
