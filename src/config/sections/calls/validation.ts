/** The `validation` section. */
import { z } from 'zod';
import { positiveCount } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const validationSection = section(
  z.strictObject({
    maxInputBytes: setting(positiveCount, {
      about: 'The largest input of a call, as JSON in bytes.',
      project: 'lower',
      default: 1_000_000,
    }),
    maxDepth: setting(positiveCount, {
      about: 'The deepest nesting of an input.',
      project: 'lower',
      default: 64,
    }),
    checkOutput: setting(z.boolean(), {
      about: 'Hold what a tool returns against its output schema.',
      project: 'on',
      default: true,
    }),
    sanitize: setting(z.enum(['flag', 'off']), {
      about: 'flag marks results that hold script-like content; off says nothing of it.',
      project: { order: ['off', 'flag'] },
      default: 'flag',
    }),
  }),
  'Bounds of what goes into a tool. Inputs are always validated; that has no switch.',
);
