/** The `store` section. */
import { z } from 'zod';
import { nonEmptyText } from './fields.ts';
import { section, setting } from './setting.ts';

export const storeSection = section(
  z.strictObject({
    driver: setting(z.enum(['sqlite', 'memory']), {
      about: 'sqlite keeps everything in one file; memory forgets it when the process ends.',
      project: { order: ['memory', 'sqlite'] },
      default: 'sqlite',
    }),
    path: setting(nonEmptyText, {
      about: 'The database file of sqlite, relative to the project.',
      project: { inside: '.toolcrib' },
      default: '.toolcrib/state.db',
    }),
  }),
  'Where the audit trail, approvals, budgets and results are kept.',
);
