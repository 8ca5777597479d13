/** The sections `registry` and `teams`: where tools are found. */
import { z } from 'zod';
import { byProject } from '../../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, nonEmptyText, organisation, WHOLE } from '../fields.ts';
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
        'Ask the registry once a day whether installed packages have newer versions, while a command such as serve runs (also known as autoUpdateChecks).',
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

/** Nothing of it is a project's: it could take the rules of the team away. */
export const teamsSection = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Take part in the catalog of a team; `toolcrib team join` writes this section.')
      .meta(byProject('user'))
      .default(false),
    orgId: organisation
      .exactOptional()
      .describe('The organisation, as the catalog knows it.')
      .meta(byProject('user')),
    url: address(['http', 'https'])
      .exactOptional()
      .describe('The address of the server that publishes the catalog.')
      .meta(byProject('user')),
    key: z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/, 'expected the base64 text of a public key')
      .exactOptional()
      .describe('The public key that signed bundles at the enrolment.')
      .meta(byProject('user')),
    tokenKey: nonEmptyText
      .describe('The secret that holds the token for the server.')
      .meta(byProject('user'))
      .default('TEAM_CATALOG_TOKEN'),
    secrets: z
      .array(nonEmptyText)
      .max(100)
      .describe('Secrets that tools and APIs of the team may use; none by default.')
      .meta(byProject('user'))
      .default([]),
    acceptTools: z
      .boolean()
      .describe('Accept the signed tools of the team; false holds new and changed ones for review.')
      .meta(byProject('user'))
      .default(false),
    syncMinutes: z
      .number()
      .min(1)
      .max(60 * 24)
      .describe('Minutes between two syncs of a program that stays.')
      .meta(byProject('user'))
      .default(15),
    features: z
      .strictObject({
        sharedTools: z
          .boolean()
          .describe('Take in tools and APIs of the team; its rules hold in any case.')
          .meta(byProject('user'))
          .default(true),
      })
      .describe('What is taken from the team.')
      .prefault({}),
  })
  .superRefine((value, context) => {
    if (value.enabled !== true) return;
    const missing = (['url', 'orgId', 'key'] as const).find((key) => value[key] === undefined);
    if (missing === undefined) return;
    context.addIssue({
      code: 'custom',
      params: WHOLE,
      message: `is enabled but has no "${missing}"; join the team with: toolcrib team join <url>`,
    });
  }, ALSO_WHEN_FAULTY)
  .describe('The catalog of reviewed tools and rules that a team shares.')
  .prefault({});
