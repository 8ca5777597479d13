import { describe, expect, it } from 'vitest';
import type { ExecutionSummary } from '../api/call-records.ts';
import { nextRunning, type Running, seedRunning } from './use-running.ts';

const event = (name: string, executionId: string) => ({ name, data: { executionId, tool: 't' } });
const after = (...events: ReturnType<typeof event>[]): string[] => [
  ...events.reduce<Running>((map, one) => nextRunning(map, one, 7), new Map()).keys(),
];

describe('calls under way', () => {
  it('come with their start and go with their end', () => {
    const [a, b] = [event('call.started', 'a'), event('call.started', 'b')];
    expect(after(a, b)).toEqual(['a', 'b']);
    expect(after(a, b, event('call.finished', 'a'))).toEqual(['b']);
  });

  it('do not pile up without end', () => {
    const many = Array.from({ length: 500 }, (_, n) => event('call.started', String(n)));
    expect(after(...many)).toHaveLength(50);
  });

  it('are those of the server at first, without any that ended while its answer was on the way', () => {
    const calls = ['new', 'over', 'old'].map(
      (executionId) => ({ executionId }) as ExecutionSummary,
    );
    expect([...seedRunning(calls, new Set(['over'])).keys()]).toEqual(['old', 'new']);
  });
});
