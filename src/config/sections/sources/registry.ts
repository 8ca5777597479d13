/** The sections `registry` and `teams`: where tools are found. */
import { z } from 'zod';
import { byProject } from '../../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, nonEmptyText, WHOLE } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const registrySection = section(
  z.strictObject({
    path: setting(nonEmptyText, {
      about:
        'The directory of custom tools, relative to the project (also known as toolRegistryPath).',
      project: { inside: '.toolcrib/tools' },
      default: '.toolcrib/tools',
    }),
    autoDiscovery: setting(z.boolean(), {
      about:
        'Look for tools in the project and in MCP servers; false leaves those that ship and those that a program hands in (also known as enableAutoDiscovery).',
      project: 'off',
      default: true,
    }),
    updateChecks: setting(z.boolean(), {
      about:
        'Ask whether installed tools have newer versions (also known as autoUpdateChecks). Not built yet.',
      project: 'off',
      default: false,
    }),
    lock: setting(z.enum(['off', 'trust-first-use', 'strict']), {
      about:
        'What becomes of tools from outside that nobody has accepted: strict holds them all, trust-first-use lets in what a new source brings at first, off looks at none.',
      project: { order: ['off', 'trust-first-use', 'strict'] },
      default: 'strict',
    }),
  }),
  'Where tools are looked for.',
);

export const teamsSection = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Take part in the catalog of a team. Not built yet.')
      .meta(byProject('off'))
      .default(false),
    orgId: nonEmptyText
      .exactOptional()
      .describe('The organisation, as the catalog knows it. Not built yet.')
      .meta(byProject('user')),
    url: address(['http', 'https'])
      .exactOptional()
      .describe('The address of the catalog. Not built yet.')
      .meta(byProject('user')),
    features: z
      .strictObject({
        sharedTools: z
          .boolean()
          .describe('Take in the tools the team shares. Not built yet.')
          .meta(byProject('off'))
          .default(true),
      })
      .describe('What is taken from the team.')
      .prefault({}),
  })
  .superRefine((value, context) => {
    if (value.enabled !== true || value.url !== undefined) return;
    context.addIssue({
      code: 'custom',
      params: WHOLE,
      message: 'is enabled but has no "url"; set it to the address of the team catalog',
    });
  }, ALSO_WHEN_FAULTY)
  .describe('The catalog of reviewed tools that a team shares.')
  .prefault({});
