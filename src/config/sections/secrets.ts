/** The `secrets` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText } from './fields.ts';

export const secretsSection = z
  .strictObject({
    sources: z
      .array(z.enum(['environment', 'file', 'keychain']))
      .max(3)
      .describe('Where secrets are looked for, the first that holds one wins.')
      .meta(byProject('user'))
      .default(['environment', 'file']),
    file: nonEmptyText
      .describe('The file of secrets, relative to the user’s configuration folder.')
      .meta(byProject('user'))
      .default('secrets.json'),
  })
  .describe('Where credentials come from.')
  .prefault({});
