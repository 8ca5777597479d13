/** The `audit` section. */
import { z } from 'zod';
import { isLoopback } from '../../kit/http/loopback.ts';
import { ALSO_WHEN_FAULTY, address, nonEmptyText, positiveCount, WHOLE } from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';

const MINUTES_PER_WEEK = 7 * 24 * 60;

/** Matches a file, or with `sqlite:` before it a store, by its absolute path. */
const LOCAL_DESTINATION = /^(?:sqlite:)?(?:\/|[A-Za-z]:[\\/]|\\\\)/;

const destination = z
  .string()
  .refine((to) => LOCAL_DESTINATION.test(to) || address(['http', 'https']).safeParse(to).success, {
    error:
      'expected an absolute path, sqlite: and the absolute path of a database, or an address that starts with http:// or https:// and holds no user name or password',
  });

interface Checkpoints {
  readonly to?: string;
  readonly secret?: string;
}

/** Refuses a secret for anything but an address over which it is encrypted. */
const secretFault = ({ to, secret }: Checkpoints): string | undefined => {
  if (secret === undefined) return undefined;
  if (to === undefined || LOCAL_DESTINATION.test(to))
    return '"secret" needs an https address in "to"';
  if (!URL.canParse(to)) return undefined;
  const url = new URL(to);
  return url.protocol === 'https:' || isLoopback(url)
    ? undefined
    : '"secret" is sent over https only: give "to" an https address';
};

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
      z
        .strictObject({
          to: optionalSetting(destination, {
            about:
              'Where signed checkpoints go by themselves: a file by its absolute path, e.g. on another machine, a second store as sqlite: and its absolute path, e.g. on another disk, or an http(s) address that takes a POST. None are made when absent.',
            project: 'user',
          }),
          secret: optionalSetting(nonEmptyText.max(200), {
            about:
              'The key of the secret that is sent to the address as Authorization: Bearer; see toolcrib secrets set.',
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
        })
        .superRefine((value, context) => {
          const message = secretFault(value);
          if (message !== undefined) context.addIssue({ code: 'custom', params: WHOLE, message });
        }, ALSO_WHEN_FAULTY),
      'Signed notes of how far the record has come, kept where nobody of this machine can change them.',
    ),
  }),
  'The record of every call.',
);
