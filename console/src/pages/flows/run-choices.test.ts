import { describe, expect, it } from 'vitest';
import { isResumable, takesEvents } from './run-choices.ts';

const run = (parts: object) => ({ status: 'waiting' as const, steps: [], ...parts });

describe('what the console offers for a run', () => {
  it.each([
    ['waits for a person', { waitsFor: ['approval:a'] }],
    ['waits for an event', { waitsFor: ['event:paid'] }],
    ['waits for another run', { waitsFor: ['run:one.1'] }],
    ['sleeps', { status: 'sleeping' as const, waitsFor: ['time'] }],
    ['is running', { status: 'running' as const }],
  ])('does not resume one that %s: nothing would change', (_case, parts) => {
    expect(isResumable(run(parts))).toBe(false);
  });

  it.each([
    ['is blocked', { status: 'blocked' as const, waitsFor: ['call:x'] }],
    ['has no process with its version', { missingVersion: true }],
    ['waits for a process', {}],
  ])('resumes one that %s', (_case, parts) => {
    expect(isResumable(run(parts))).toBe(true);
  });

  it('sends events only to a run that waits for one, also in one of its branches', () => {
    expect(takesEvents(run({ waitsFor: ['approval:a'] }))).toBe(false);
    expect(takesEvents(run({ waitsFor: ['event:paid'] }))).toBe(true);
    const steps = [{ kind: 'event', state: 'open' }];
    expect(takesEvents(run({ status: 'running' as const, steps }))).toBe(true);
  });
});
