/** The sections `workspace`, `store`, `secrets`, `datetime` and `observation`. */
import { z } from 'zod';
import { LOG_LEVELS } from '../../contract/log-level.ts';
import { alertsSetting } from './alerts.ts';
import { MAX_TIMER_MS, nonEmptyText } from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';
import { STORE_URL, STORE_URL_TEXT } from './store-url.ts';

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
    url: optionalSetting(z.string().regex(STORE_URL, { error: STORE_URL_TEXT }), {
      about: `The address of a PostgreSQL database that is used instead of driver and path, for processes on several machines. ${SECRET} in it stands for a secret, e.g. the password.`,
      project: 'user',
    }),
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

/** Its sense is checked by whoever uses it: reading patterns takes a library. */
const cronPattern = z
  .string()
  .max(200)
  .regex(/^(?:@[a-z]+|\S+(?: +\S+){4})$/, {
    error: 'expected five fields, such as */15 * * * *, or a word such as @hourly',
  });

export const observationSection = section(
  z.strictObject({
    metrics: setting(z.boolean(), {
      about:
        'Serve at /metrics what is counted and timed of calls (also known as metricsCollectionEnabled). Without it calls are counted all the same: stats, alerts and health go by their figures.',
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
    measureRuns: setting(z.boolean(), {
      about:
        'Measure the processor time and memory of sandboxed runs (also known as resourceMonitoringEnabled).',
      project: 'user',
      default: true,
    }),
    reportErrors: setting(z.boolean(), {
      about:
        'Have serve, worker and mcp log each call that failed, took too long or was left in doubt as a warning, whatever the level of other calls (also known as errorReportingEnabled).',
      project: 'user',
      default: false,
    }),
    traceHosts: setting(z.array(nonEmptyText).max(1000), {
      about:
        'Hosts whose requests carry the trace of the call (traceparent), where calls are traced: names, *.names, each with or without a port, or * for all. Hosts of this machine always do.',
      project: 'user',
      default: [],
    }),
    healthIntervalMs: setting(z.int().min(1000).max(MAX_TIMER_MS), {
      about:
        'Milliseconds between two looks at whether an MCP server still answers, where it sets none of its own (also known as healthCheckInterval).',
      project: 'free',
      default: 60_000,
    }),
    healthChecks: optionalSetting(cronPattern, {
      about:
        'When `toolcrib serve` checks everything by itself, as a cron pattern in UTC, e.g. */15 * * * *. Of several processes on one store, one does. Checked on request only when absent.',
      project: 'user',
    }),
    alerts: alertsSetting,
    raiseAlerts: setting(z.boolean(), {
      about:
        'Have servers and workers evaluate the alerts (also known as performanceAlertsEnabled).',
      project: 'user',
      default: true,
    }),
    alertIntervalMs: setting(z.int().min(1000).max(600_000), {
      about:
        'Milliseconds between two evaluations of the alerts. When a process dies, another takes over after three of them.',
      project: 'user',
      default: 10_000,
    }),
    logLevel: setting(z.enum(LOG_LEVELS), {
      about:
        'The least severe message that is logged. A server can be told another one while it runs: toolcrib log level.',
      project: { order: [...LOG_LEVELS].reverse() },
      default: 'warn',
    }),
    logFormat: setting(z.enum(['auto', 'json', 'pretty']), {
      about:
        'How lines of the log are written to stderr. auto: JSON by serve, worker and mcp where stderr is no terminal, for people otherwise.',
      project: 'user',
      default: 'auto',
    }),
    logFile: optionalSetting(nonEmptyText, {
      about:
        'A file that serve, worker and mcp also append the lines of the log to, as JSON; relative to the folder of the user’s configuration.',
      project: 'user',
    }),
  }),
  'Metrics, health, alerts and the log.',
);
