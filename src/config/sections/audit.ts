/** The `audit` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { positiveCount } from './fields.ts';

export const auditSection = z
  .strictObject({
    retentionDays: positiveCount
      .max(36_500)
      .exactOptional()
      .describe('Days for which the record of a call is kept; for ever when absent.')
      .meta(byProject('higher')),
  })
  .describe('The record of every call.')
  .prefault({});
