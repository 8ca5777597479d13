/** The `registry` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText } from './fields.ts';

export const registrySection = z
  .strictObject({
    path: nonEmptyText
      .describe(
        'The directory of custom tools, relative to the project (also known as toolRegistryPath).',
      )
      .meta(byProject({ inside: '.toolcrib/tools' }))
      .default('.toolcrib/tools'),
    autoDiscovery: z
      .boolean()
      .describe('Look for tools in all sources at start (also known as enableAutoDiscovery).')
      .meta(byProject('off'))
      .default(true),
    updateChecks: z
      .boolean()
      .describe('Ask whether installed tools have newer versions (also known as autoUpdateChecks).')
      .meta(byProject('off'))
      .default(false),
  })
  .describe('Where tools are looked for.')
  .prefault({});
