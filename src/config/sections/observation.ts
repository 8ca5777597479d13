/** The `observation` section. */
import { z } from 'zod';
import { LONGEST_TIMER_MS } from './fields.ts';

export const observationSection = z
  .strictObject({
    metrics: z
      .boolean()
      .describe('Count and time calls (also known as metricsCollectionEnabled).')
      .default(true),
    healthIntervalMs: z
      .int()
      .min(1000)
      .max(LONGEST_TIMER_MS)
      .describe('Milliseconds between health checks (also known as healthCheckInterval).')
      .default(60_000),
    alerts: z
      .boolean()
      .describe('Raise alerts (also known as performanceAlertsEnabled).')
      .default(false),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .describe('The least severe message that is logged.')
      .default('warn'),
  })
  .describe('Metrics, health, alerts and the log.')
  .prefault({});
