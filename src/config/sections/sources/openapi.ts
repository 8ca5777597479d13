/** The settings of `sources.openapi`. */
import { z } from 'zod';
import { address, nonEmptyText } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';
import { EXTERNAL_FIELDS } from './external-fields.ts';

const names = (about: string) =>
  optionalSetting(z.array(nonEmptyText.max(500)).max(1000), { about, project: 'add' });

const method = z
  .string()
  .regex(
    /^(?:get|head|options|trace|query|put|post|patch|delete|\*)$/i,
    'expected an HTTP method, e.g. GET',
  );

const filter = z.strictObject({
  tags: names('Tags of operations; * stands for any text.'),
  paths: names('Paths, e.g. /pets/*; * stands for any text.'),
  methods: optionalSetting(z.array(method).max(20), {
    about: 'HTTP methods, e.g. GET.',
    project: 'add',
  }),
  operations: names('Operation ids or names of tools; * stands for any text.'),
});

const secretKey = (about: string) =>
  optionalSetting(nonEmptyText.max(200), { about, project: 'user' });

const scheme = described(
  z.strictObject({
    secret: secretKey('The key of the secret: an API key, a token or a password.'),
    username: optionalSetting(nonEmptyText.max(256), {
      about: 'The user name, for basic authentication.',
      project: 'user',
    }),
    clientId: optionalSetting(nonEmptyText.max(1000), {
      about: 'The OAuth client id.',
      project: 'user',
    }),
    clientSecret: secretKey('The key of the OAuth client secret.'),
    scopes: optionalSetting(z.array(nonEmptyText.max(500)).max(200), {
      about: 'The OAuth scopes to ask for; those of the operations when absent.',
      project: 'user',
    }),
    tokenUrl: optionalSetting(address(['http', 'https']), {
      about: 'Where OAuth tokens are issued, instead of the address in the document.',
      project: 'user',
    }),
    authorizationUrl: optionalSetting(address(['http', 'https']), {
      about: 'The OAuth login page, instead of the address in the document.',
      project: 'user',
    }),
    redirectPort: optionalSetting(z.int().min(1).max(65_535), {
      about: 'The port of the redirect address of the login, where it was registered by hand.',
      project: 'user',
    }),
    login: optionalSetting(z.boolean(), {
      about: 'true: a person logs in with OAuth (toolcrib sources login).',
      project: 'user',
    }),
    type: optionalSetting(z.enum(['bearer', 'basic', 'header', 'query', 'cookie']), {
      about: 'How the secret is sent, for a scheme that the document does not describe.',
      project: 'user',
    }),
    parameter: optionalSetting(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/), {
      about: 'The name of the header, query parameter or cookie, for such a scheme.',
      project: 'user',
    }),
  }),
  { about: 'The credential of one security scheme, under its name in the document.' },
);

export const openapiSource = z.strictObject({
  document: described(nonEmptyText, {
    about:
      'The OpenAPI document: an address, a path from the project on, or the whole text of the document.',
    project: 'add',
  }),
  baseUrl: optionalSetting(address(['http', 'https']), {
    about: 'The address of the API, instead of the servers in the document.',
    project: 'add',
  }),
  server: optionalSetting(z.int().min(0).max(1000), {
    about: 'Which server of the document is used, counted from 0.',
    project: 'add',
  }),
  variables: optionalSetting(
    z.record(
      nonEmptyText,
      described(z.string().max(500), { about: 'The value of one variable.', project: 'add' }),
    ),
    { about: 'Values of the variables in server addresses, instead of their defaults.' },
  ),
  hosts: optionalSetting(z.array(nonEmptyText.max(260)).max(100), {
    about: 'Further hosts that credentials may be sent to, e.g. uploads.example.com.',
    project: 'user',
  }),
  auth: optionalSetting(z.record(nonEmptyText.max(200), scheme), {
    about: 'Credentials by the names of security schemes in the document.',
  }),
  include: optionalSetting(filter.describe('What operations must match.'), {
    about: 'Only operations that match all lists given here become tools.',
  }),
  exclude: optionalSetting(filter.describe('What operations may not match.'), {
    about: 'Operations that match one of these lists are left out.',
  }),
  deprecated: optionalSetting(z.boolean(), {
    about: 'true switches deprecated operations on; they are off otherwise.',
    project: 'add',
  }),
  responses: optionalSetting(z.enum(['fail', 'warn', 'off']), {
    about: 'What happens to an answer that does not fit the document; warn when absent.',
    project: 'add',
  }),
  ...EXTERNAL_FIELDS,
});

export const OPENAPI_ABOUT = 'OpenAPI documents: each operation is a tool.';
