import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { keepEvaluating } from './keep-evaluating.ts';

describe('keepEvaluating', () => {
  it('evaluates at each interval, and lets another process take over when it is stopped', async () => {
    const runtime = fakeRuntime();
    const did: string[] = [];
    const stop = keepEvaluating({
      runtime,
      everyMs: 100,
      evaluate: async () => void did.push('evaluated'),
      release: async () => void did.push('released'),
    });
    await runtime.advance(250);
    await stop();
    await runtime.advance(1000);
    expect(did).toEqual(['evaluated', 'evaluated', 'released']);
  });

  it('logs an evaluation and a release that failed, and ends well', async () => {
    const runtime = fakeRuntime();
    const fail = () => Promise.reject(new Error('no store'));
    const stop = keepEvaluating({ runtime, everyMs: 100, evaluate: fail, release: fail });
    await runtime.advance(100);
    await stop();
    expect(runtime.logged.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Alerts could not be evaluated.'],
      ['warn', 'Alerts stay with this process a little longer.'],
    ]);
  });
});
