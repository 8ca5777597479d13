/** The `approvals` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { address } from './fields.ts';

export const approvalsSection = z
  .strictObject({
    expiresMinutes: z
      .number()
      .positive()
      .max(60 * 24 * 365)
      .describe('Minutes after which a question nobody answered is a no.')
      .meta(byProject('lower'))
      .default(60),
    linkBaseUrl: address(['http', 'https'])
      .exactOptional()
      .describe('The address at which links that answer a question are opened.')
      .meta(byProject('user')),
  })
  .describe('How people are asked, and how long they have to answer.')
  .prefault({});
