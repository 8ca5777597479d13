/** The `policy` section. */
import { z } from 'zod';
import { DEFAULT_POLICY_FILE } from '../../default-policy-file.ts';
import { nonEmptyText } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const policySection = section(
  z.strictObject({
    files: setting(z.array(nonEmptyText).max(100), {
      about:
        'Files of rules, relative to the folder of the configuration that names them. Those of a project only add to the user’s.',
      project: 'own',
      default: [DEFAULT_POLICY_FILE],
    }),
    shadow: setting(z.boolean(), {
      about: 'Record what the rules would have refused, and refuse nothing for their sake.',
      project: 'off',
      default: false,
    }),
    flow: setting(z.enum(['ask', 'deny', 'off']), {
      about:
        'What happens when private data and content from outside meet a way out: a person is asked, the call is denied, or nothing.',
      project: { order: ['off', 'ask', 'deny'] },
      default: 'ask',
    }),
  }),
  'The rules that allow, ask and deny.',
);
