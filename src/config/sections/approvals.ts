/** The `approvals` section. */
import { z } from 'zod';

export const approvalsSection = z
  .strictObject({
    expiresMinutes: z
      .number()
      .positive()
      .max(60 * 24 * 365)
      .describe('Minutes after which a question nobody answered is a no.')
      .default(60),
  })
  .describe('How long people have to answer.')
  .prefault({});
