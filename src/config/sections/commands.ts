/** The `commands` section. */
import { z } from 'zod';
import { section, setting } from './setting.ts';

const pattern = z
  .string()
  .regex(/^[^\p{C}]*\S[^\p{C}]*$/u, 'expected a command such as "git status", on one line');

export const commandsSection = section(
  z.strictObject({
    allow: setting(z.array(pattern).max(1000), {
      about: 'Commands that may run, as patterns over their words, e.g. git status.',
      project: 'subset',
      default: [],
    }),
  }),
  'The programs that tools may run.',
);
