/**
 * Compiles policy documents. Those of the user and of the program are read in order as one list. A
 * project's can only narrow: its rules that ask or deny are guards, its rules that allow do not
 * count, and its roles can only make isolation stricter.
 */
import type { Isolation } from '../../contract/caller.ts';
import { flowGuards, isolationGuards, policyVersion, tierRules } from './builtin-policy.ts';
import type { FlowMode } from './builtin-rules.ts';
import { ISOLATION_LEVELS, stricter } from './builtin-rules.ts';
import type { Condition } from './condition/call-facts.ts';
import { conditionCompiler } from './condition/compile-condition.ts';
import { checkDocument } from './document/check-document.ts';
import { invalidDocument, subjectOf } from './document/document-problems.ts';
import {
  originOf,
  type PolicyRole,
  type PolicyRule,
  type PolicySource,
  policySchema,
} from './document/policy-document.ts';
import { type CompiledPolicy, policyEngine } from './policy-engine.ts';
import { isHeld, type Roles } from './rights.ts';
import { makeRule, type Rule, type RuleRole } from './rule.ts';

interface Role {
  readonly permissions: string[];
  readonly isolation: Isolation;
}

const EMPTY_ROLE: Role = { permissions: [], isolation: 'none' };

const merged = (role: Role, added: PolicyRole): Role => ({
  permissions: [...role.permissions, ...(added.permissions ?? [])],
  isolation: stricter(role.isolation, added.isolation ?? 'none'),
});

/** Lists what a project's role would grant, which it may not. */
const excessOf = (role: Role, { permissions = [], isolation }: PolicyRole): readonly string[] => {
  const gained = permissions.filter((permission) => !isHeld(role.permissions, permission));
  const isLooser =
    isolation !== undefined &&
    ISOLATION_LEVELS[isolation].rank < ISOLATION_LEVELS[role.isolation].rank;
  return [
    ...gained.map((name) => `a project cannot give the permission ${name}; it is ignored`),
    ...(isLooser ? [`a project cannot loosen isolation to ${isolation}; it is ignored`] : []),
  ];
};

/** Merges the roles of all documents. Expects those of projects last. */
const compileRoles = (
  sources: readonly PolicySource[],
): { readonly roles: Roles; readonly warnings: readonly string[] } => {
  const roles = new Map<string, Role>();
  const warnings: string[] = [];
  for (const source of sources) {
    for (const [name, written] of Object.entries(source.document.roles ?? {})) {
      const role = roles.get(name) ?? EMPTY_ROLE;
      const subject = `${originOf(source, ['roles', name])}: role ${name}`;
      if (source.document.shadow) {
        warnings.push(`${subject}: ignored, the file is in shadow mode`);
      } else if (source.kind === 'project') {
        warnings.push(...excessOf(role, written).map((what) => `${subject}: ${what}`));
        roles.set(name, merged(role, { ...written, permissions: [] }));
      } else {
        roles.set(name, merged(role, written));
      }
    }
  }
  return { roles, warnings };
};

export interface PolicyOptions {
  /** What to do when untrusted and private data reach a sink; `ask` by default. */
  readonly flow?: FlowMode;
}

type Compile = ReturnType<typeof conditionCompiler>;

const assertUsable = (sources: readonly PolicySource[], compile: Compile): void => {
  const problems = sources.flatMap((source) =>
    checkDocument(source.document, compile).map(({ path, message }) => {
      return [originOf(source, path), subjectOf(source.document, path), message]
        .filter((part) => part !== '')
        .join(': ');
    }),
  );
  if (problems.length > 0) throw invalidDocument(problems);
};

/** Copies a document, so that later changes of it change no verdict. */
const copyOf = (source: PolicySource): PolicySource => ({
  ...source,
  document: policySchema.parse(source.document),
});

const roleOf = ({ kind }: PolicySource, { effect }: PolicyRule): RuleRole => {
  if (kind !== 'project') return 'choice';
  return effect === 'allow' ? 'void' : 'guard';
};

const rulesOf = (source: PolicySource, before: number, compile: Compile): readonly Rule[] =>
  (source.document.rules ?? []).map((rule, index) =>
    makeRule(rule, {
      role: roleOf(source, rule),
      shadow: source.document.shadow === true || rule.shadow === true,
      origin: originOf(source, ['rules', index]),
      order: before + index,
      // Already checked: the result is a condition.
      condition: rule.when === undefined ? undefined : (compile(rule.when) as Condition),
    }),
  );

const compileRules = (sources: readonly PolicySource[], compile: Compile): readonly Rule[] => {
  const rules: Rule[] = [];
  for (const source of sources) rules.push(...rulesOf(source, rules.length, compile));
  return rules;
};

const voidWarnings = (rules: readonly Rule[]): readonly string[] =>
  rules
    .filter(({ role }) => role === 'void')
    .map(({ name, origin }) => `${origin}: rule ${name}: a project can only narrow; it is ignored`);

const repeatedWarnings = (rules: readonly Rule[]): readonly string[] =>
  rules
    .filter(({ name }, index) => rules.findIndex((other) => other.name === name) < index)
    .map(({ name, origin }) => `${origin}: rule ${name}: another document has a rule of this name`);

/** Compiles documents to a policy. Throws `CONFIG_INVALID` when one is not usable. */
export const compilePolicy = (
  sources: readonly PolicySource[],
  { flow = 'ask' }: PolicyOptions = {},
): CompiledPolicy => {
  const compile = conditionCompiler();
  assertUsable(sources, compile);
  const copies = sources.map(copyOf);
  const ordered = [
    ...copies.filter(({ kind }) => kind !== 'project'),
    ...copies.filter(({ kind }) => kind === 'project'),
  ];
  const written = compileRules(ordered, compile);
  const hasTiers = copies.every(({ document }) => document.shadow || document.builtin !== false);
  const { roles, warnings } = compileRoles(ordered);
  return policyEngine({
    version: policyVersion({
      flow,
      documents: copies.map(({ kind, document }) => ({ kind, document })),
    }),
    rules: [
      ...written.filter(({ role }) => role === 'choice'),
      ...(hasTiers ? tierRules(written.length) : []),
      ...written.filter(({ role }) => role !== 'choice'),
      ...flowGuards(flow),
    ],
    levels: isolationGuards(),
    roles,
    warnings: [...voidWarnings(written), ...repeatedWarnings(written), ...warnings],
  });
};
