/** The `workspace` section. */
import { z } from 'zod';
import { nonEmptyText } from './fields.ts';

export const workspaceSection = z
  .strictObject({
    root: nonEmptyText
      .describe('The directory file tools may touch, relative to the project.')
      .default('.'),
    extraRoots: z
      .array(nonEmptyText)
      .describe('Further directories file tools may touch.')
      .default([]),
  })
  .describe('The files that tools can reach.')
  .prefault({});
