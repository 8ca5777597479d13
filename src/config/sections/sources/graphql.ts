/** The settings of `sources.graphql`. */
import { z } from 'zod';
import { address, nonEmptyText } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';
import { EXTERNAL_FIELDS } from './external-fields.ts';

const pattern = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z_*][A-Za-z0-9_.*]*$/,
    'expected the name of an operation, with * for any characters',
  );

const secretKey = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]+$/, 'expected the key of a secret, not the secret itself');

export const graphqlSource = z.strictObject({
  url: described(address(['http', 'https']), {
    about: 'The address of the GraphQL service.',
    project: 'add',
  }),
  schema: optionalSetting(nonEmptyText, {
    about:
      'Its schema, in GraphQL or as introspection JSON: an address, or a path from the project on. The service is asked for it when absent.',
    project: 'add',
  }),
  bearer: optionalSetting(secretKey, {
    about: 'The key of a secret that is sent as `Authorization: Bearer`.',
    project: 'add',
  }),
  include: optionalSetting(z.array(pattern), {
    about:
      'The operations that become tools: names in which * stands for any characters, such as `create*` or `query.*`; all when absent.',
    project: 'add',
  }),
  exclude: optionalSetting(z.array(pattern), {
    about: 'Operations that do not, also when `include` names them.',
    project: 'add',
  }),
  maxDepth: optionalSetting(z.int().min(1).max(10), {
    about: 'How deep the fields that a call asks for may be nested; 3 when absent.',
    project: 'add',
  }),
  maxFields: optionalSetting(z.int().min(1).max(1000), {
    about: 'How many fields a call may ask for; 80 when absent.',
    project: 'add',
  }),
  ...EXTERNAL_FIELDS,
});

export const GRAPHQL_ABOUT = 'GraphQL services: each query and mutation is a tool.';
