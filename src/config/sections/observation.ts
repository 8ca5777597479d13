/** The `observation` section. */
import { z } from 'zod';
import { LONGEST_TIMER_MS } from './fields.ts';
import { section, setting } from './setting.ts';

export const observationSection = section(
  z.strictObject({
    metrics: setting(z.boolean(), {
      about: 'Count and time calls (also known as metricsCollectionEnabled).',
      project: 'on',
      default: true,
    }),
    healthIntervalMs: setting(z.int().min(1000).max(LONGEST_TIMER_MS), {
      about: 'Milliseconds between health checks (also known as healthCheckInterval).',
      project: 'free',
      default: 60_000,
    }),
    alerts: setting(z.boolean(), {
      about: 'Raise alerts (also known as performanceAlertsEnabled).',
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
