/** The `observation` section. */
import { z } from 'zod';
import { MAX_TIMER_MS } from './fields.ts';
import { section, setting } from './setting.ts';

export const observationSection = section(
  z.strictObject({
    metrics: setting(z.boolean(), {
      about:
        'Serve at /metrics what is counted and timed of calls (also known as metricsCollectionEnabled).',
      project: 'on',
      default: true,
    }),
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
