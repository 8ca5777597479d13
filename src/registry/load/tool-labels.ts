/** Derives the trust and the sensitivity of what a tool returns. */
import type { Labels } from '../../contract/result.ts';
import type { Tool, ToolCategory, ToolSource } from '../../contract/tool.ts';

const UNTRUSTED: readonly ToolSource[] = ['mcp', 'external', 'workflow', 'package', 'team'];
const PRIVATE: readonly ToolCategory[] = ['filesystem', 'database'];

/** Derives the labels. A tool may declare its own; one from outside may not, but its user may assign them. */
export const toolLabels = ({ source, tier, category, needs, labels, assigned }: Tool): Labels => {
  if (assigned) return { trust: assigned.trust, sensitivity: assigned.sensitivity };
  const isOutside = UNTRUSTED.includes(source);
  const declared = isOutside ? {} : (labels ?? {});
  const reachesOut = tier === 'external_api' || needs?.hosts !== undefined;
  const isPrivate = PRIVATE.includes(category) || needs?.paths !== undefined;
  return {
    trust: isOutside ? 'untrusted' : (declared.trust ?? (reachesOut ? 'untrusted' : 'trusted')),
    sensitivity: declared.sensitivity ?? (isPrivate ? 'private' : 'public'),
  };
};
