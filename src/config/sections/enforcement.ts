/** The `enforcement` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { toolName } from './fields.ts';

export const enforcementSection = z
  .strictObject({
    disableLocalTools: z
      .boolean()
      .describe('Refuse custom tools of this machine; only shipped and team tools run.')
      .meta(byProject('on'))
      .default(false),
    enforcedTools: z
      .array(toolName)
      .describe('Tools that must stay enabled and cannot be switched off here.')
      .meta(byProject('union'))
      .default([]),
  })
  .describe('What a team insists on.')
  .prefault({});
