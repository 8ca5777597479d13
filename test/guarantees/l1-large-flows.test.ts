/** L1: a flow of 1,000 nodes and one over 10,000 items run correctly and in flat memory, on both engines. */
import { describe, expect, it } from 'vitest';
import { ENGINES, isEngineMissing, startEngine } from '../fixtures/engines.ts';
import { startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const NODES = sized(301, 1_001);
const ITEMS = sized(1_000, 10_000);
/** All results with their padding would be 5 MB, and several times that as steps of a journal. */
const MAX_GROWTH_MB = 12;
const MAX_RSS_MB = 600;

interface Report {
  readonly dag: {
    readonly status: string;
    readonly output: number;
    readonly calls: number;
    readonly rows: number;
    readonly width: number;
    readonly nodes: number;
  };
  readonly each: Readonly<Record<string, unknown>>;
  readonly heap: { readonly samples: readonly number[]; readonly atEnd: number };
  readonly maxRssMb: number;
}

describe.each(ENGINES)('large flows on %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'L1: 1,000 nodes and 10,000 items give the right result, and memory stays flat',
    async () => {
      const engine = await startEngine(name);
      const words = [engine.root, `${NODES}`, `${ITEMS}`];
      const program = startProgram('large-flows.mjs', words, engine.env);
      try {
        const line = await program.said('report ');
        console.log(`${name}: ${line}`);
        const { dag, each, heap, maxRssMb } = JSON.parse(line.slice(7)) as Report;
        // Every column counts its rows, and the last node adds the columns up.
        const output = dag.rows * dag.width;
        expect(dag).toMatchObject({ status: 'completed', nodes: NODES, calls: NODES, output });
        expect(each).toMatchObject({ status: 'completed', calls: ITEMS, isRight: true });
        expect(each).toMatchObject({ count: ITEMS, done: ITEMS, failed: 0, results: ITEMS });
        const [, early = 0] = heap.samples;
        expect((heap.samples.at(-1) ?? 0) - early).toBeLessThan(MAX_GROWTH_MB);
        expect(maxRssMb).toBeLessThan(MAX_RSS_MB);
        await program.ended;
      } finally {
        program.child.kill('SIGKILL');
        await engine.close();
      }
    },
    TIME_LIMIT,
  );
});
