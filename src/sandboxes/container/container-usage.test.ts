import { describe, expect, it } from 'vitest';
import type { Timer } from '../../contract/runtime.ts';
import { watchContainer } from './container-usage.ts';

/** Timers that fire when the test says so. */
const manualTimers = () => {
  const waiting: (() => void)[] = [];
  const after = (_ms: number, then: () => void): Timer => {
    waiting.push(then);
    const cancel = () => void waiting.splice(waiting.indexOf(then), 1);
    return { cancel, keepAlive: () => undefined };
  };
  const fire = async () => {
    waiting.shift()?.();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { runtime: { after }, fire, waiting };
};

const containerThatSays = (answers: readonly unknown[]) => {
  let at = 0;
  const stats = async () => {
    const answer = answers[at++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { stats } as unknown as Parameters<typeof watchContainer>[0];
};

const watched = async (...answers: readonly unknown[]) => {
  const timers = manualTimers();
  const watch = watchContainer(containerThatSays(answers), timers.runtime);
  for (const _ of answers) await timers.fire();
  const usage = watch.stop();
  return { usage, waiting: timers.waiting.length };
};

const cpu = (total_usage: number) => ({ cpu_usage: { total_usage } });

describe('watchContainer', () => {
  it('keeps the processor time of the last look and the most memory of all looks', async () => {
    const { usage, waiting } = await watched(
      { cpu_stats: cpu(20_000_000), memory_stats: { usage: 900, stats: { inactive_file: 100 } } },
      { cpu_stats: cpu(70_000_000), memory_stats: { usage: 500, stats: {} } },
    );
    expect(usage).toEqual({ cpuMs: 70, peakMemoryBytes: 800 });
    expect(waiting).toBe(0);
  });

  it('takes the peak of the kernel where the engine has it', async () => {
    const { usage } = await watched({ memory_stats: { usage: 5, max_usage: 4096 } });
    expect(usage).toEqual({ cpuMs: 0, peakMemoryBytes: 4096 });
  });

  it('continues after the engine failed, and ignores what is no number', async () => {
    const { usage } = await watched(
      new Error('no such container'),
      { cpu_stats: { cpu_usage: { total_usage: 'a lot' } }, memory_stats: { usage: -1 } },
      { cpu_stats: cpu(3_000_000) },
    );
    expect(usage).toEqual({ cpuMs: 3, peakMemoryBytes: 0 });
  });
});
