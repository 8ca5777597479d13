/** The `validation` section. */
import { z } from 'zod';
import { positiveCount } from './fields.ts';

export const validationSection = z
  .strictObject({
    maxInputBytes: positiveCount
      .describe('The largest input of a call, as JSON in bytes.')
      .default(1_000_000),
    maxDepth: positiveCount.describe('The deepest nesting of an input.').default(64),
    checkOutput: z
      .boolean()
      .describe('Hold what a tool returns against its output schema.')
      .default(true),
  })
  .describe('Bounds of what goes into a tool. Inputs are always validated; that has no switch.')
  .prefault({});
