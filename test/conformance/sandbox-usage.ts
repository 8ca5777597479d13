/** What a run took of the machine is told once, however it ended. */
import { expect, it } from 'vitest';
import type { SandboxUsage } from '../../src/contract/sandbox.ts';
import { failureOf, type SandboxUnderTest } from './sandbox-under-test.ts';

/** Busy for a while that every driver can see, and holds memory meanwhile. */
const BUSY =
  'const kept = new Uint8Array(2e7).fill(1); const end = Date.now() + 300; let n = 0; while (Date.now() < end) n++; return kept.length;';

export const describeUsage = (test: SandboxUnderTest): void => {
  it('tells processor time and peak memory of a run that ended well', async () => {
    const told: SandboxUsage[] = [];
    await test.code(BUSY, {}, { onUsage: (usage) => void told.push(usage) });
    expect(told).toHaveLength(1);
    // How much depends on the machine: a busy one gives the run only a part of its time.
    expect(told[0]?.cpuMs).toBeGreaterThan(0);
    expect(told[0]?.cpuMs).toBeLessThan(5_000);
    expect(told[0]?.peakMemoryBytes).toBeGreaterThan(2e7);
  });

  it('tells the processor time of a run that its time limit ended', async () => {
    const told: SandboxUsage[] = [];
    const options = {
      config: { timeLimit: 2_500 },
      onUsage: (usage: SandboxUsage) => void told.push(usage),
    };
    const failure = await failureOf(test.code('for (;;) {}', {}, options));
    expect(failure.code).toBe('TIMEOUT');
    expect(told).toHaveLength(1);
    expect(told[0]?.cpuMs).toBeGreaterThan(0);
  });
};
