/** The `filtering` section. */
import { z } from 'zod';
import { nonEmptyText, positiveCount } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const filteringSection = section(
  z.strictObject({
    maxStringChars: setting(positiveCount, {
      about: 'Longer strings are cut in results shown to a model.',
      project: 'lower',
      default: 10_000,
    }),
    maxArrayItems: setting(positiveCount, {
      about: 'Longer lists are cut in results shown to a model.',
      project: 'lower',
      default: 100,
    }),
    maxResultBytes: setting(positiveCount, {
      about: 'The largest result, as JSON in bytes; a larger one is kept and paged.',
      project: 'lower',
      default: 1_000_000,
    }),
    keepResultsDays: setting(positiveCount, {
      about: 'Days that a kept result can be read by its handle; then it is forgotten.',
      project: 'lower',
      default: 30,
    }),
    redactKeys: setting(z.array(nonEmptyText), {
      about:
        'Further names whose values are hidden in results, logs, errors and the audit trail, at any depth and inside longer names. Names of passwords, tokens, keys and cookies always are.',
      project: 'union',
      default: [],
    }),
    shownKeys: setting(z.array(nonEmptyText), {
      about:
        'Names whose values are shown although they read like the name of a secret, such as a token that a model has to hand on. Known secrets stay hidden.',
      project: 'user',
      default: [],
    }),
  }),
  'What comes out of a tool: size and secrets.',
);
