/** The `workspace` section. */
import { z } from 'zod';
import { nonEmptyText } from './fields.ts';
import { section, setting } from './setting.ts';

export const workspaceSection = section(
  z.strictObject({
    root: setting(nonEmptyText, {
      about: 'The directory file tools may touch, relative to the project.',
      project: { inside: '.', belowUser: true },
      default: '.',
    }),
    extraRoots: setting(z.array(nonEmptyText), {
      about: 'Further directories file tools may touch.',
      project: 'subset',
      default: [],
    }),
  }),
  'The files that tools can reach.',
);
