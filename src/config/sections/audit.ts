/** The `audit` section. */
import { z } from 'zod';
import { address, positiveCount } from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';

const MINUTES_PER_WEEK = 7 * 24 * 60;

const isFile = (to: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(to);

const destination = z
  .string()
  .refine((to) => isFile(to) || address(['http', 'https']).safeParse(to).success, {
    error:
      'expected an absolute path, or an address that starts with http:// or https:// and holds no user name or password',
  });

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
    checkpoints: section(
      z.strictObject({
        to: optionalSetting(destination, {
          about:
            'Where signed checkpoints go by themselves: a file by its absolute path, e.g. on another machine, or an http(s) address that takes a POST. None are made when absent.',
          project: 'user',
        }),
        every: setting(positiveCount, {
          about: 'After how many rows of the record one is made; looked at once a second.',
          project: 'user',
          default: 1000,
        }),
        minutes: setting(positiveCount.max(MINUTES_PER_WEEK), {
          about: 'After how many minutes one is made at the latest, if there are new rows.',
          project: 'user',
          default: 10,
        }),
      }),
      'Signed notes of how far the record has come, kept where nobody of this machine can change them.',
    ),
  }),
  'The record of every call.',
);
