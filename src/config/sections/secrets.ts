/** The `secrets` section. */
import { z } from 'zod';
import { nonEmptyText } from './fields.ts';
import { section, setting } from './setting.ts';

export const secretsSection = section(
  z.strictObject({
    sources: setting(z.array(z.enum(['environment', 'file', 'keychain'])).max(3), {
      about: 'Where secrets are looked for, the first that holds one wins.',
      project: 'user',
      default: ['environment', 'file'],
    }),
    file: setting(nonEmptyText, {
      about: 'The file of secrets, relative to the user’s configuration folder.',
      project: 'user',
      default: 'secrets.json',
    }),
  }),
  'Where credentials come from.',
);
