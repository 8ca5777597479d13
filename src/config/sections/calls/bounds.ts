/** The sections `validation`, `filtering` and `egress`: bounds of inputs, results and the network. */
import { z } from 'zod';
import { nonEmptyText, positiveCount } from '../fields.ts';
import { section, setting } from '../setting.ts';

export const validationSection = section(
  z.strictObject({
    maxInputBytes: setting(positiveCount, {
      about: 'The largest input of a call, as JSON in bytes.',
      project: 'lower',
      default: 1_000_000,
    }),
    maxDepth: setting(positiveCount, {
      about: 'The deepest nesting of an input.',
      project: 'lower',
      default: 64,
    }),
    checkOutput: setting(z.boolean(), {
      about: 'Hold what a tool returns against its output schema.',
      project: 'on',
      default: true,
    }),
    sanitize: setting(z.enum(['flag', 'off']), {
      about: 'flag marks results that hold script-like content; off says nothing of it.',
      project: { order: ['off', 'flag'] },
      default: 'flag',
    }),
  }),
  'Bounds of what goes into a tool. Inputs are always validated; that has no switch.',
);

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

const host = z
  .string()
  .regex(/^[^\s\p{C}]{1,255}$/u, 'expected a host name, an address or a range such as 10.0.0.0/8');

export const egressSection = section(
  z.strictObject({
    allowPrivate: setting(z.array(host).max(1000), {
      about: 'Private hosts, addresses and ranges that tools may reach; all others are refused.',
      project: 'subset',
      default: [],
    }),
    maxResponseBytes: setting(positiveCount, {
      about: 'The largest response that is read, in bytes.',
      project: 'lower',
      default: 50_000_000,
    }),
  }),
  'What tools can reach over the network.',
);
