/** The `validation` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { positiveCount } from './fields.ts';

export const validationSection = z
  .strictObject({
    maxInputBytes: positiveCount
      .describe('The largest input of a call, as JSON in bytes.')
      .meta(byProject('lower'))
      .default(1_000_000),
    maxDepth: positiveCount
      .describe('The deepest nesting of an input.')
      .meta(byProject('lower'))
      .default(64),
    checkOutput: z
      .boolean()
      .describe('Hold what a tool returns against its output schema.')
      .meta(byProject('on'))
      .default(true),
    sanitize: z
      .enum(['flag', 'off'])
      .describe('flag marks results that hold script-like content; off says nothing of it.')
      .meta(byProject({ order: ['off', 'flag'] }))
      .default('flag'),
  })
  .describe('Bounds of what goes into a tool. Inputs are always validated; that has no switch.')
  .prefault({});
