/** The `audit` section. */
import { z } from 'zod';
import { positiveCount } from './fields.ts';
import { optionalSetting, section } from './setting.ts';

export const auditSection = section(
  z.strictObject({
    retentionDays: optionalSetting(positiveCount.max(36_500), {
      about: 'Days for which the record of a call is kept; for ever when absent.',
      project: 'higher',
    }),
  }),
  'The record of every call.',
);
