/** Every promise the project makes, with the tests that prove it. A promise with no test fails. */
import type { Guarantee } from './architecture/check-guarantees.ts';

export const GUARANTEES: readonly Guarantee[] = [
  {
    id: 'pipeline-complete',
    promise:
      'A pipeline that leaves out a gate, or has gates in the wrong order, does not compile.',
    tests: [
      {
        file: 'test/architecture/pipeline-types.test.ts',
        name: 'refuse a missing gate, a wrong order and a stage that forgets to hand the call on',
      },
      {
        file: 'test/architecture/pipeline-types.test.ts',
        name: 'fail in each of the cases and nowhere else once the marks are taken away',
      },
    ],
  },
  {
    id: 'pipeline-order',
    promise: 'The fifteen stages are all there, in the documented order.',
    tests: [
      {
        file: 'test/architecture/pipeline-drawing.test.ts',
        name: 'is drawn in ARCHITECTURE.md as it stands in governed.ts, every stage in its place',
      },
    ],
  },
  {
    id: 'errors-documented',
    promise: 'Every error code is documented as the table of codes defines it.',
    tests: [
      {
        file: 'test/architecture/errors-doc.test.ts',
        name: 'is what the table of error codes renders to',
      },
    ],
  },
];
