/** The `teams` section. */
import { z } from 'zod';
import { byProject } from '../../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, nonEmptyText, WHOLE } from '../fields.ts';

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
