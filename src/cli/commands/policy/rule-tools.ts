/** Finds the rules that name tools which are not there, for the commands that judge rules. */
import type { PolicyFile } from '../../../config/load/policy-files.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Servers } from '../../../contract/servers.ts';

interface KnownTools {
  readonly tools: Catalog;
  readonly servers: Servers;
}

/** A server that does not run may have tools that nobody knows of yet. */
const mayGrow = ({ servers }: KnownTools): boolean =>
  servers.list().some(({ state }) => state !== 'ready' && state !== 'disabled');

export const ruleToolWarnings = async (
  policyFiles: readonly PolicyFile[],
  known: KnownTools,
): Promise<readonly string[]> => {
  if (policyFiles.length === 0) return [];
  const { ruleWarnings } = await import('../../../crib/policy-checks.ts');
  return ruleWarnings({ policyFiles }, { tools: known.tools, mayGrow: mayGrow(known) });
};
