/** The `datetime` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';

/** Intl also takes offsets such as "+02:00"; those are no zones, for they know no summer time. */
const isZone = (zone: string): boolean => {
  if (zone === 'UTC' || zone === 'local') return true;
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

export const datetimeSection = z
  .strictObject({
    zone: z
      .string()
      .refine(isZone, {
        error: 'expected the name of an IANA time zone, e.g. Europe/Vienna, or local',
      })
      .describe('The time zone of dates that name none: an IANA name, or local for this machine’s.')
      .meta(byProject('free'))
      .default('UTC'),
  })
  .describe('Dates and times.')
  .prefault({});
