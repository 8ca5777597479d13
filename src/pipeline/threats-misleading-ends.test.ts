/** What is said of a call that was aborted and takes effect later: its tool ignores its signal. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolDefinition } from '../contract/tool.ts';

let letGo = (): void => undefined;
afterEach(() => letGo());

const endless = (more: Partial<ToolDefinition<never, unknown>> = {}) =>
  aTool({
    name: 'send',
    tier: 'write',
    timeoutMs: 1000,
    run: () =>
      new Promise<void>((resolve) => {
        letGo = resolve;
      }),
    undo: async () => undefined,
    ...more,
  });

const abort = async (crib: TestCrib, how: 'CANCELLED' | 'TIMEOUT') => {
  const control = new AbortController();
  const call = crib.execute('send', {}, { signal: control.signal });
  await expect.poll(async () => (await crib.executions.running()).length).toBe(1);
  if (how === 'CANCELLED') control.abort();
  else await crib.runtime.advance(1000);
  return call;
};

describe.each(['CANCELLED', 'TIMEOUT'] as const)('threat: a call that ends with %s', (code) => {
  it('is not recommended again while nobody knows whether it took effect', async () => {
    const crib = await testCrib([endless()]);
    const { error, metadata } = await abort(crib, code);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain('may take effect');
    expect(error?.message).not.toContain('again');
    const undo = await crib.executions.undo(metadata.executionId);
    expect(undo.error).toMatchObject({ code: 'CONFLICT' });
    expect(undo.error?.message).toContain('Nobody knows');
    await crib.close();
  });

  it.each([
    ['only reads', { tier: 'read_only' as const }],
    ['may be made twice', { idempotent: true }],
  ])('benign: is said as before where it %s', async (_what, more) => {
    const crib = await testCrib([endless(more)]);
    const { error } = await abort(crib, code);
    expect(error?.message).not.toContain('may take effect');
    await crib.close();
  });
});
