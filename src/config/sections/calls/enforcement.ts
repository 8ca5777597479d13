/** The `enforcement` section. */
import { z } from 'zod';
import { toolName } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const enforcementSection = section(
  z.strictObject({
    disableLocalTools: setting(z.boolean(), {
      about: 'Refuse custom tools of this machine; only shipped and team tools run.',
      project: 'on',
      default: false,
    }),
    enforcedTools: setting(z.array(toolName), {
      about: 'Tools that must stay enabled and cannot be switched off here.',
      project: 'union',
      default: [],
    }),
  }),
  'What a team insists on.',
);
