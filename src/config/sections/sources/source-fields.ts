/** The settings that MCP servers and other sources of tools share. */
import { z } from 'zod';
import { described, optionalSetting } from '../setting.ts';

export const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
export const SOURCE_NAME_RULE =
  'the name of a source is 1 to 64 letters, digits, "_" or "-" and starts with a letter or digit';

export const SECRET = `\${secret:KEY}`;

/** The values of `TIERS` of the contract. */
export const tier = z.enum(['read_only', 'write', 'execute', 'external_api']);

const labels = z.strictObject({
  trust: optionalSetting(z.enum(['trusted', 'untrusted']), {
    about: 'Whether nobody outside can have written what is returned; untrusted when absent.',
    project: 'user',
  }),
  sensitivity: optionalSetting(z.enum(['public', 'private', 'secret']), {
    about:
      'How delicate it is; private when absent, unless the program is confined and given nothing of yours.',
    project: 'user',
  }),
});

export const FLOW = {
  labels: optionalSetting(labels.describe('What the results are.'), {
    about: 'What the results are, for the rules about data that leaves.',
  }),
  sink: optionalSetting(z.boolean(), {
    about:
      'Whether a call can carry data out; true when absent, except for a read_only tool of a program and for a program without hosts.',
    project: 'user',
  }),
};

export const toolSettings = z.strictObject({
  ...FLOW,
  tier: optionalSetting(tier, {
    about: 'How risky this tool is; what its source says of it counts for nothing.',
    project: 'user',
  }),
});

export const HEADERS = optionalSetting(
  z.record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of an HTTP header'),
    described(z.string(), {
      about: `The value of one header; ${SECRET} stands for a secret.`,
      project: 'add',
    }),
  ),
  { about: 'Headers that are sent to the server with every request.' },
);
