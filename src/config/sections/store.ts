/** The `store` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText } from './fields.ts';

export const storeSection = z
  .strictObject({
    driver: z
      .enum(['sqlite', 'memory'])
      .describe('sqlite keeps everything in one file; memory forgets it when the process ends.')
      .meta(byProject({ order: ['memory', 'sqlite'] }))
      .default('sqlite'),
    path: nonEmptyText
      .describe('The database file of sqlite, relative to the project.')
      .meta(byProject({ inside: '.toolcrib' }))
      .default('.toolcrib/state.db'),
  })
  .describe('Where the audit trail, approvals, budgets and results are kept.')
  .prefault({});
