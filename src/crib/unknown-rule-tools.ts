/** Finds policy rules that name unknown tools: such a rule has no effect. */
import type { Catalog } from '../contract/catalog.ts';
import type { PolicySource } from '../governance/policy/document/policy-document.ts';
import { matchesName } from '../governance/policy/match-rule.ts';
import { didYouMean } from '../kit/text/did-you-mean.ts';
import { INTERNAL_TOOLS } from '../pipeline/internal-tool.ts';

export interface RuleToolsDeps {
  readonly tools: Pick<Catalog, 'get' | 'list'>;
  /** More tools may be registered later, e.g. from servers that are not connected yet. */
  readonly mayGrow: boolean;
  /** True reports only near misses of existing names. */
  readonly nearOnly?: boolean;
}

const LATER = '; a server that is not connected now may bring it';

/** Returns what is wrong with a tool name in a rule, or `undefined`. */
const problemOf = (pattern: string, deps: RuleToolsDeps, names: readonly string[]) => {
  if (names.some((name) => matchesName(pattern, name))) return undefined;
  const other = deps.tools.get(pattern)?.tool.name;
  if (other !== undefined) return `${pattern} is another name of ${other}; rules go by ${other}`;
  const suggestion = didYouMean(pattern, names);
  if (suggestion === '' && deps.nearOnly) return undefined;
  const later = deps.mayGrow ? LATER : '';
  if (pattern.includes('*')) return `no tool fits ${pattern}${later}`;
  return `there is no tool named ${pattern}${suggestion || later}`;
};

/** Returns a sentence for each tool name in a rule that matches no tool. */
export const unknownRuleTools = (
  sources: readonly Pick<PolicySource, 'origin' | 'document'>[],
  deps: RuleToolsDeps,
): readonly string[] => {
  const names = [...deps.tools.list().map(({ tool }) => tool.name), ...INTERNAL_TOOLS];
  return sources.flatMap(({ origin, document }) =>
    (document.rules ?? []).flatMap((rule) =>
      (rule.tools ?? []).flatMap((pattern) => {
        const problem = problemOf(pattern, deps, names);
        return problem === undefined ? [] : [`${origin}: rule ${rule.name}: ${problem}`];
      }),
    ),
  );
};
