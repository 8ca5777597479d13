/** The `filtering` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { nonEmptyText, positiveCount } from './fields.ts';

const REDACTED = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
  'api_key',
  'apiKey',
  'credential',
  'credentials',
  'private_key',
  'privateKey',
  'authorization',
  'cookie',
  'set-cookie',
];

export const filteringSection = z
  .strictObject({
    maxStringChars: positiveCount
      .describe('Longer strings are cut in results shown to a model.')
      .meta(byProject('lower'))
      .default(10_000),
    maxArrayItems: positiveCount
      .describe('Longer lists are cut in results shown to a model.')
      .meta(byProject('lower'))
      .default(100),
    maxResultBytes: positiveCount
      .describe('The largest result, as JSON in bytes; a larger one is kept and paged.')
      .meta(byProject('lower'))
      .default(1_000_000),
    redactKeys: z
      .array(nonEmptyText)
      .describe(
        'Keys whose values are hidden in results, logs, errors and the audit trail, at any depth. A list replaces this one.',
      )
      .meta(byProject('union'))
      .default(REDACTED),
  })
  .describe('What comes out of a tool: size and secrets.')
  .prefault({});
