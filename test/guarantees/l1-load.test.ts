/** L1: many calls, a thousand at once, end without an error and in flat memory, on both engines. */
import { describe, expect, it } from 'vitest';
import { ENGINES, isEngineMissing, startEngine } from '../fixtures/engines.ts';
import { startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const CALLS = sized(3_000, 100_000);
const AT_ONCE = 1_000;
/** From the second tenth of the calls to the last. */
const MAX_GROWTH_MB = 12;

interface Report {
  readonly done: number;
  /** How many calls ended with which code, but for those that succeeded. */
  readonly codes: Readonly<Record<string, number>>;
  readonly heaps: readonly number[];
  readonly seconds: number;
  readonly ok: boolean;
  readonly maxRssMb: number;
}

describe.each(ENGINES)('L1: 1,000 calls at once on %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'none fails, the record verifies, and memory stays flat',
    async () => {
      const engine = await startEngine(name);
      const words = [engine.root, `${CALLS}`, `${AT_ONCE}`];
      const program = startProgram('caller.mjs', words, engine.env);
      try {
        const line = await program.said('report ');
        const report = JSON.parse(line.slice('report '.length)) as Report;
        console.log(`${name}: ${line}`);
        expect(report).toMatchObject({ done: CALLS, codes: {}, ok: true });
        const [, early = 0] = report.heaps;
        expect((report.heaps.at(-1) ?? 0) - early).toBeLessThan(MAX_GROWTH_MB);
        await program.ended;
      } finally {
        program.child.kill('SIGKILL');
        await engine.close();
      }
    },
    TIME_LIMIT,
  );
});
