/** How many calls of each tool are on record in a stretch of time. */
import type { Store } from '../../../contract/store.ts';
import { outcomeRows } from '../policy/outcome-rows.ts';

export interface ToolCalls {
  readonly tool: string;
  readonly calls: number;
}

/** Most called first. Refused calls count as well: they were made. */
export const callsByTool = async (
  { audit }: Pick<Store, 'audit'>,
  stretch: { readonly from?: number; readonly to?: number },
): Promise<readonly ToolCalls[]> => {
  const counts = new Map<string, number>();
  for await (const { tool } of outcomeRows(audit, stretch)) {
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  return [...counts]
    .map(([tool, calls]) => ({ tool, calls }))
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
};
