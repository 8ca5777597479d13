/** The `observation` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { LONGEST_TIMER_MS } from './fields.ts';

export const observationSection = z
  .strictObject({
    metrics: z
      .boolean()
      .describe('Count and time calls (also known as metricsCollectionEnabled).')
      .meta(byProject('on'))
      .default(true),
    healthIntervalMs: z
      .int()
      .min(1000)
      .max(LONGEST_TIMER_MS)
      .describe('Milliseconds between health checks (also known as healthCheckInterval).')
      .meta(byProject('free'))
      .default(60_000),
    alerts: z
      .boolean()
      .describe('Raise alerts (also known as performanceAlertsEnabled).')
      .meta(byProject('on'))
      .default(false),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .describe('The least severe message that is logged.')
      .meta(byProject({ order: ['silent', 'error', 'warn', 'info', 'debug'] }))
      .default('warn'),
  })
  .describe('Metrics, health, alerts and the log.')
  .prefault({});
