/**
 * Checks the entries of a team's catalog, on the server before they are proposed and on the client before
 * they take effect. What a team must not decide for a user is not part of the format.
 */
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import type { TeamChange, TeamEntry, TeamSource } from '../../contract/team.ts';
import { conditionCompiler } from '../policy/condition/compile-condition.ts';
import { checkDocument } from '../policy/document/check-document.ts';
import { type PolicyDocument, policySchema } from '../policy/document/policy-document.ts';

const MAX_TEXT = 200_000;
const MAX_SETTINGS_CHARS = 50_000;

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, '1 to 100 letters, digits, "_", "." or "-".');
const fileName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,90}\.(?:ya?ml|ts)$/,
    'a file name such as lint.yml or lint.ts',
  );

/** Settings that would weaken what the user's own rules say of an API, or reach the user's machine. */
const LOCAL_ONLY = ['tier', 'tools', 'labels', 'toolLabels', 'sink', 'enabled', 'oauth'];

const settings = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= MAX_SETTINGS_CHARS,
    'The settings are too long.',
  );

const apiSettings = settings.superRefine((value, context) => {
  for (const key of Object.keys(value).filter((each) => LOCAL_ONLY.includes(each))) {
    context.addIssue({
      code: 'custom',
      path: [key],
      message: 'Only the user of a client sets this.',
    });
  }
});

const SOURCE_TYPES = [
  'openapi',
  'graphql',
  'grpc',
  'websocket',
] as const satisfies TeamSource['type'][];

/** Makes the document of one rule. */
const documentOf = (rule: unknown): unknown => ({ version: 1, builtin: false, rules: [rule] });

const rule = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const parsed = policySchema.safeParse(documentOf(value));
  const issues = parsed.success
    ? checkDocument(parsed.data, conditionCompiler())
    : parsed.error.issues.map(({ path, message }) => ({ path, message }));
  for (const { path, message } of issues) {
    context.addIssue({ code: 'custom', path: [...path.slice(2)], message });
  }
  if (value.effect !== 'allow') return;
  const message = 'A team asks or denies: what is allowed is decided by the user of a client.';
  context.addIssue({ code: 'custom', path: ['effect'], message });
});

const ruleEntry = z.strictObject({ kind: z.literal('rule'), name, rule });

export const entrySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('tool'),
      name: fileName,
      text: z.string().min(1).max(MAX_TEXT),
    }),
    z.strictObject({
      kind: z.literal('source'),
      name,
      type: z.enum(SOURCE_TYPES),
      settings: apiSettings,
    }),
    ruleEntry,
    z.strictObject({ kind: z.literal('enforce'), name }),
    z.strictObject({ kind: z.literal('revoke'), name }),
    z.strictObject({ kind: z.literal('no-local-tools'), name: z.literal('all') }),
  ])
  .refine((entry) => entry.kind !== 'rule' || entry.rule.name === entry.name, {
    path: ['rule', 'name'],
    error: 'has to be the name of the entry',
  });

const KINDS = ['tool', 'source', 'rule', 'enforce', 'revoke', 'no-local-tools'] as const;

const changeSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('put'), entry: entrySchema }),
  z.strictObject({ action: z.literal('remove'), kind: z.enum(KINDS), name }),
]);

/** Checks a change. Throws VALIDATION_ERROR with every fault. */
export const parseChange = (value: unknown): TeamChange => {
  const parsed = changeSchema.safeParse(value);
  if (parsed.success) return parsed.data as TeamChange;
  throw new ToolFailure('VALIDATION_ERROR', 'The change cannot be proposed as it is.', {
    issues: parsed.error.issues.map(({ path, message }) => ({
      path: path as (string | number)[],
      message,
    })),
    suggestions: ['Correct the places named; docs/sources/team.md describes the entries.'],
  });
};

/** Makes the policy document of a team's rules; they were checked when the bundle was read. */
export const rulesDocument = (rules: readonly unknown[]): PolicyDocument =>
  policySchema.parse({ version: 1, rules });

export const entryKey = ({ kind, name: own }: Pick<TeamEntry, 'kind' | 'name'>): string =>
  `${kind}:${own}`;
