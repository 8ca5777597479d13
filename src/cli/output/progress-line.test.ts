import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startProgress } from './progress-line.ts';

const start = () => {
  const output = Object.assign(new PassThrough(), { columns: 60 }) as unknown as NodeJS.WriteStream;
  let shown = '';
  (output as unknown as PassThrough).on('data', (chunk) => {
    shown += String(chunk);
  });
  const timers: { ms: number; run: () => void }[] = [];
  let time = 0;
  const line = startProgress({
    output,
    label: 'slow_tool',
    runtime: {
      elapsed: () => time,
      after: (ms, run) => {
        timers.push({ ms, run });
        return { cancel: () => timers.splice(0), keepAlive: () => undefined };
      },
    },
  });
  const tick = () => {
    const next = timers.shift();
    time += next?.ms ?? 0;
    next?.run();
  };
  return { line, tick, timers, shown: () => shown };
};

describe('startProgress', () => {
  it('says nothing for the first second', () => {
    const { timers, shown } = start();
    expect(timers[0]?.ms).toBe(1000);
    expect(shown()).toBe('');
  });

  it('then shows tool, time and progress, with hostile notes made visible', () => {
    const { line, tick, shown } = start();
    line.update(0.4, 'half\u001b[2J');
    tick();
    expect(shown()).toContain('slow_tool · 1.0 s · 40 % · half␛[2J');
  });

  it('keeps within the line', () => {
    const { line, tick, shown } = start();
    line.update(2, 'x'.repeat(200));
    tick();
    const drawn = shown().split('\u001b[2K').at(-1) ?? '';
    expect(drawn).toContain('100 %');
    expect(drawn.length).toBeLessThan(60);
  });

  it('hides for a question and clears when done', () => {
    const { line, tick, shown } = start();
    tick();
    line.pause(true);
    const before = shown();
    tick();
    expect(shown()).toBe(before);
    line.pause(false);
    tick();
    expect(shown().length).toBeGreaterThan(before.length);
    line.stop();
    expect(shown().endsWith('\r\u001b[2K')).toBe(true);
  });
});
