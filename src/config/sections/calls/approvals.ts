/** The `approvals` section. */
import { z } from 'zod';
import { address } from '../fields.ts';
import { optionalSetting, section, setting } from '../setting.ts';

export const approvalsSection = section(
  z.strictObject({
    expiresMinutes: setting(
      z
        .number()
        .positive()
        .max(60 * 24 * 365),
      {
        about: 'Minutes after which a question nobody answered is a no.',
        project: 'lower',
        default: 60,
      },
    ),
    linkBaseUrl: optionalSetting(address(['http', 'https']), {
      about: 'The address at which links that answer a question are opened.',
      project: 'user',
    }),
  }),
  'How people are asked, and how long they have to answer.',
);
