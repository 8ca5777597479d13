/** The `enforcement` section. */
import { z } from 'zod';
import { toolName } from './fields.ts';

export const enforcementSection = z
  .strictObject({
    disableLocalTools: z
      .boolean()
      .describe('Refuse custom tools of this machine; only shipped and team tools run.')
      .default(false),
    enforcedTools: z
      .array(toolName)
      .describe('Tools that must stay enabled and cannot be switched off here.')
      .default([]),
  })
  .describe('What a team insists on.')
  .prefault({});
