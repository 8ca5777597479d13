/** Tells which steps change nothing, with all that is in them. */
import { onlyReads } from '../../../registry/only-reads.ts';
import { callsOf } from '../check/validate-flow.ts';
import { buildTree, type StepNode } from '../step-tree.ts';
import { type FlowRunDeps, flowNameOf } from './step-work.ts';

type Deps = Pick<FlowRunDeps, 'tools' | 'subFlow'>;

/** True where all calls only read. Of a flow as code nobody can say what it calls. */
export const onlyReadsIn = (node: StepNode, deps: Deps): boolean => {
  const { tools, subFlow } = deps;
  if (node.step.flow !== undefined) {
    const data = subFlow(...flowNameOf(node.step.flow))?.data;
    return (
      data?.steps !== undefined &&
      buildTree(data).root.nodes.every((each) => onlyReadsIn(each, deps))
    );
  }
  const calls = callsOf(node).map(({ call, version }) => tools.get(call, version)?.tool);
  return (
    calls.every(onlyReads) && (node.inner?.nodes ?? []).every((each) => onlyReadsIn(each, deps))
  );
};
