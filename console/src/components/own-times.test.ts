import { describe, expect, it } from 'vitest';
import { ownTimes } from './own-times.ts';

const span = (stage: string, startMs: number, durationMs: number) => ({
  stage,
  startMs,
  durationMs,
  outcome: 'passed',
});

const own = (...spans: ReturnType<typeof span>[]) =>
  ownTimes(spans).map(({ stage, ownMs }) => [stage, ownMs]);

describe('the own time of a stage', () => {
  it('is what is left when the stages within are taken away', () => {
    expect(own(span('record', 0, 100), span('resolve', 10, 80), span('execute', 30, 50))).toEqual([
      ['record', 20],
      ['resolve', 30],
      ['execute', 50],
    ]);
  });

  it('takes away every attempt of a stage that tried again', () => {
    expect(own(span('recover', 0, 100), span('execute', 0, 30), span('execute', 60, 40))).toEqual([
      ['recover', 30],
      ['execute', 30],
      ['execute', 40],
    ]);
  });

  it('is never below nought and knows the empty trace', () => {
    expect(own(span('a', 0, 5), span('b', 1, 9))).toEqual([
      ['a', 0],
      ['b', 9],
    ]);
    expect(own()).toEqual([]);
  });
});
