/** Where a step of a pipeline that has no input of its own gets it from. */
import type { StepNode } from './step-tree.ts';

/**
 * Finds the step whose result a step of a pipeline gets: the one before it, or before the group around it
 * that is in a pipeline itself; `input` is that of the flow. Nothing for a step that is in no pipeline.
 */
export const pipedFrom = (node: StepNode): StepNode | 'input' | undefined => {
  if (node.group.kind !== 'pipeline') return undefined;
  for (let each: StepNode | undefined = node; each; each = each.group.owner) {
    const [previous] = each.group.kind === 'pipeline' ? each.before : [];
    if (previous) return previous;
  }
  return 'input';
};
