/** Tells which steps change nothing, with all that is in them. */
import { onlyReads } from '../../../registry/only-reads.ts';
import { callsOf } from '../check/validate-flow.ts';
import { buildTree, type StepNode } from '../step-tree.ts';
import { type FlowRunDeps, flowNameOf } from './step-work.ts';

/**
 * Returns true where all calls only read: those of the steps, their alternatives and fallbacks, of the
 * steps inside, and of the flows that they start. Of a flow as code nobody can say what it calls.
 */
export const onlyReadsIn = (
  nodes: Iterable<StepNode>,
  { tools, subFlow }: Pick<FlowRunDeps, 'tools' | 'subFlow'>,
): boolean => {
  const open = [...nodes];
  // Each flow once, however many steps start it.
  const flows = new Set<string>();
  for (let node = open.pop(); node; node = open.pop()) {
    const calls = callsOf(node);
    if (!calls.every(({ call, version }) => onlyReads(tools.get(call, version)?.tool)))
      return false;
    open.push(...(node.inner?.nodes ?? []));
    const { flow } = node.step;
    if (flow === undefined || flows.has(flow)) continue;
    flows.add(flow);
    const data = subFlow(...flowNameOf(flow))?.data;
    if (!data) return false;
    open.push(...buildTree(data).root.nodes);
  }
  return true;
};
