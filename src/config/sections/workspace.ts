/** The `workspace` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText } from './fields.ts';

export const workspaceSection = z
  .strictObject({
    root: nonEmptyText
      .describe('The directory file tools may touch, relative to the project.')
      .meta(byProject({ inside: '.', belowUser: true }))
      .default('.'),
    extraRoots: z
      .array(nonEmptyText)
      .describe('Further directories file tools may touch.')
      .meta(byProject('subset'))
      .default([]),
  })
  .describe('The files that tools can reach.')
  .prefault({});
