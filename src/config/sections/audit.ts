/** The `audit` section. */
import { z } from 'zod';
import { positiveCount } from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';

export const auditSection = section(
  z.strictObject({
    retentionDays: optionalSetting(positiveCount.max(36_500), {
      about: 'Days for which the record of a call is kept; for ever when absent.',
      project: 'higher',
    }),
    syncEveryRecord: setting(z.boolean(), {
      about:
        'Answer a call that changed nothing only when its record is on disk, too; else that is up to 20 ms later.',
      project: 'on',
      default: false,
    }),
  }),
  'The record of every call.',
);
