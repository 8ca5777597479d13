/** The `commands` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';

const pattern = z
  .string()
  .regex(/^[^\p{C}]*\S[^\p{C}]*$/u, 'expected a command such as "git status", on one line');

export const commandsSection = z
  .strictObject({
    allow: z
      .array(pattern)
      .max(1000)
      .describe('Commands that may run, as patterns over their words, e.g. git status.')
      .meta(byProject('subset'))
      .default([]),
  })
  .describe('The programs that tools may run.')
  .prefault({});
