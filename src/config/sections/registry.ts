/** The `registry` section. */
import { z } from 'zod';
import { nonEmptyText } from './fields.ts';

export const registrySection = z
  .strictObject({
    path: nonEmptyText
      .describe(
        'The directory of custom tools, relative to the project (elsewhere: toolRegistryPath).',
      )
      .default('.toolcrib/tools'),
    autoDiscovery: z
      .boolean()
      .describe('Look for tools in all sources at start (elsewhere: enableAutoDiscovery).')
      .default(true),
    updateChecks: z
      .boolean()
      .describe('Ask the package registry whether installed tools have newer versions.')
      .default(false),
  })
  .describe('Where tools are looked for.')
  .prefault({});
