/** The `budget` section. */
import { z } from 'zod';
import { toolName, usd } from './fields.ts';

export const budgetSection = z
  .strictObject({
    dailyUsd: usd.describe('US dollars one user may spend in a day on all tools.').default(10),
    perTool: z
      .record(toolName, usd.describe('US dollars one user may spend in a day on this tool.'))
      .describe('Daily limits of single tools, by name.')
      .default({}),
  })
  .describe('How much calls may cost.')
  .prefault({});
