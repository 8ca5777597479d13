/**
 * The format of a policy file. One schema gives the type, the checks and, for editors, the JSON
 * Schema; what it cannot express (unique names, conditions) is in `check-document.ts`.
 */
import { z } from 'zod';
import { SOURCES, TIERS } from '../../../contract/tool.ts';

export const ISOLATIONS = ['none', 'basic', 'strict', 'paranoid'] as const;

/** Limited, because names appear in audit rows, prompts and terminals. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;
const VISIBLE = /^\P{C}{1,500}$/u;

const some = <T extends z.ZodType>(item: T) => z.array(item).min(1, 'must not be empty');
const names = some(z.string().min(1, 'must not be empty'));

const ruleSchema = z.strictObject({
  name: z.string().regex(NAME, 'must be 1 to 100 letters, digits, "_", ".", ":" or "-"'),
  effect: z.enum(['allow', 'ask', 'deny']),
  tools: names.optional(),
  tiers: some(z.enum(TIERS)).optional(),
  actions: names.optional(),
  sources: some(z.enum(SOURCES)).optional(),
  callers: z
    .strictObject({
      users: names.optional(),
      roles: names.optional(),
      agents: names.optional(),
      sessions: names.optional(),
    })
    .optional(),
  when: z.string().optional(),
  everyTime: z.boolean().optional(),
  shadow: z.boolean().optional(),
  reason: z
    .string()
    .regex(VISIBLE, 'must be 1 to 500 characters, none of them a control character')
    .optional(),
});

const roleSchema = z.strictObject({
  permissions: z.array(z.string().min(1, 'must not be empty')).optional(),
  isolation: z.enum(ISOLATIONS).optional(),
});

export const policySchema = z.strictObject({
  version: z.literal(1),
  builtin: z.boolean().optional(),
  shadow: z.boolean().optional(),
  roles: z.record(z.string().min(1, 'must not be empty'), roleSchema).optional(),
  rules: z.array(ruleSchema).max(5000).optional(),
});

export type PolicyDocument = z.infer<typeof policySchema>;
export type PolicyRule = z.infer<typeof ruleSchema>;
export type PolicyRole = z.infer<typeof roleSchema>;

/** Every key of the format, for "did you mean". */
export const POLICY_KEYS: readonly string[] = [
  ...Object.keys(policySchema.shape),
  ...Object.keys(ruleSchema.shape),
  ...Object.keys(roleSchema.shape),
  'users',
  'agents',
  'sessions',
];

export type PolicyPath = readonly (string | number)[];

export interface PolicySource {
  /** The file it was read from, or a name for what a program handed over. */
  readonly origin: string;
  /** A `project` can narrow, never widen; `program` counts like `user`. */
  readonly kind: 'user' | 'project' | 'program';
  readonly document: PolicyDocument;
  /** Finds the line of the value at a path. */
  lineOf?(path: PolicyPath): number | undefined;
}

/** Writes `file:line` of a path; without lines, the origin of the document. */
export const originOf = (source: PolicySource, path: PolicyPath): string => {
  const line = source.lineOf?.(path);
  return line === undefined ? source.origin : `${source.origin}:${line}`;
};
