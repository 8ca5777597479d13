/** The `policy` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText } from './fields.ts';

/** Taken when nothing is named; unlike a named one it may be absent. */
export const DEFAULT_POLICY_FILE = 'policy.yml';

export const policySection = z
  .strictObject({
    files: z
      .array(nonEmptyText)
      .max(100)
      .describe(
        'Files of rules, relative to the folder of the configuration that names them. Those of a project only add to the user’s.',
      )
      .meta(byProject('own'))
      .default([DEFAULT_POLICY_FILE]),
    shadow: z
      .boolean()
      .describe('Record what the rules would have refused, and refuse nothing for their sake.')
      .meta(byProject('off'))
      .default(false),
    flow: z
      .enum(['ask', 'deny', 'off'])
      .describe(
        'What happens when private data and content from outside meet a way out: a person is asked, the call is denied, or nothing.',
      )
      .meta(byProject({ order: ['off', 'ask', 'deny'] }))
      .default('ask'),
  })
  .describe('The rules that allow, ask and deny.')
  .prefault({});
