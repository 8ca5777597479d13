/** The `datetime` section. */
import { z } from 'zod';
import { section, setting } from './setting.ts';

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

export const datetimeSection = section(
  z.strictObject({
    zone: setting(
      z.string().refine(isZone, {
        error: 'expected the name of an IANA time zone, e.g. Europe/Vienna, or local',
      }),
      {
        about: 'The time zone of dates that name none: an IANA name, or local for this machine’s.',
        project: 'free',
        default: 'UTC',
      },
    ),
  }),
  'Dates and times.',
);
