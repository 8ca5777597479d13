/** The sections `workspace`, `store`, `secrets`, `datetime` and `observation`. */
import { z } from 'zod';
import { MAX_TIMER_MS, nonEmptyText } from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';

export const workspaceSection = section(
  z.strictObject({
    root: setting(nonEmptyText, {
      about: 'The directory file tools may touch, relative to the project.',
      project: { inside: '.', belowUser: true },
      default: '.',
    }),
    extraRoots: setting(z.array(nonEmptyText), {
      about: 'Further directories file tools may touch.',
      project: 'subset',
      default: [],
    }),
  }),
  'The files that tools can reach.',
);

const SECRET = `\${secret:KEY}`;

/** An address, or a secret that holds the whole of it. */
const STORE_URL = /^(?:postgres(?:ql)?:\/\/.|\$\{secret:[A-Za-z0-9_.:-]+\}$)/;

export const storeSection = section(
  z.strictObject({
    driver: setting(z.enum(['sqlite', 'memory']), {
      about: 'sqlite keeps everything in one file; memory forgets it when the process ends.',
      project: { order: ['memory', 'sqlite'] },
      default: 'sqlite',
    }),
    path: setting(nonEmptyText, {
      about: 'The database file of sqlite, relative to the project.',
      project: { inside: '.toolcrib' },
      default: '.toolcrib/state.db',
    }),
    url: optionalSetting(
      z.string().regex(STORE_URL, {
        error: 'expected postgres://user@host:5432/database, or a secret that holds it',
      }),
      {
        about: `The address of a PostgreSQL database that is used instead of driver and path, for processes on several machines. ${SECRET} in it stands for a secret, e.g. the password.`,
        project: 'user',
      },
    ),
    schema: setting(z.string().regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/), {
      about: 'The schema of the PostgreSQL database that holds the tables.',
      project: 'user',
      default: 'toolcrib',
    }),
    connections: setting(z.int().min(2).max(100), {
      about: 'The most connections of one process to the PostgreSQL database.',
      project: 'user',
      default: 6,
    }),
  }),
  'Where the audit trail, approvals, budgets and results are kept.',
);

export const secretsSection = section(
  z.strictObject({
    sources: setting(z.array(z.enum(['environment', 'file', 'keychain'])).max(3), {
      about: 'Where secrets are looked for, the first that holds one wins.',
      project: 'user',
      default: ['environment', 'file'],
    }),
    file: setting(nonEmptyText, {
      about: 'The file of secrets, relative to the user’s configuration folder.',
      project: 'user',
      default: 'secrets.json',
    }),
  }),
  'Where credentials come from.',
);

/** Excludes offsets such as "+02:00", which Intl accepts: they have no summer time. */
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

/** At most a hundred years. */
const historyDays = z.int().min(1).max(36_500);

export const observationSection = section(
  z.strictObject({
    metrics: setting(z.boolean(), {
      about:
        'Serve at /metrics what is counted and timed of calls (also known as metricsCollectionEnabled).',
      project: 'on',
      default: true,
    }),
    historyDays: section(
      z.strictObject({
        minutes: setting(historyDays, {
          about: 'Days for which the figures of calls are kept by the minute.',
          project: 'user',
          default: 2,
        }),
        hours: setting(historyDays, {
          about: 'Days for which the figures of calls are kept by the hour.',
          project: 'user',
          default: 62,
        }),
        days: setting(historyDays, {
          about: 'Days for which the figures of calls are kept by the day.',
          project: 'user',
          default: 1100,
        }),
      }),
      'How long the figures of past calls are kept.',
    ),
    healthIntervalMs: setting(z.int().min(1000).max(MAX_TIMER_MS), {
      about:
        'Milliseconds between two looks at whether an MCP server still answers, where it sets none of its own (also known as healthCheckInterval).',
      project: 'free',
      default: 60_000,
    }),
    alerts: setting(z.boolean(), {
      about: 'Raise alerts (also known as performanceAlertsEnabled). Not built yet.',
      project: 'on',
      default: false,
    }),
    logLevel: setting(z.enum(['debug', 'info', 'warn', 'error', 'silent']), {
      about: 'The least severe message that is logged.',
      project: { order: ['silent', 'error', 'warn', 'info', 'debug'] },
      default: 'warn',
    }),
  }),
  'Metrics, health, alerts and the log.',
);
