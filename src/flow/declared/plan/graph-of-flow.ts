/** Gives the steps of a flow as nodes and edges, for drawing. */
import type {
  FlowData,
  FlowGraph,
  FlowGraphEdge,
  FlowGraphNode,
} from '../../../contract/flow-data.ts';
import type { FlowTools } from '../check/tool-shapes.ts';
import { compileProgram, type FlowProgram } from '../flow-program.ts';
import type { StepNode } from '../step-tree.ts';

const labelOf = ({ step }: StepNode): string =>
  step.title ??
  step.call ??
  step.flow ??
  step.approve ??
  step.waitFor ??
  (step.sleepMs === undefined ? step.id : `${step.sleepMs} ms`);

const nodeOf = (node: StepNode, tools: Pick<FlowTools, 'get'> | undefined): FlowGraphNode => {
  const { step, type, group, inner, level } = node;
  const tier = step.call === undefined ? undefined : tools?.get(step.call, step.version)?.tool.tier;
  return {
    id: step.id,
    type,
    label: labelOf(node),
    level,
    ...(group.owner && { parent: group.owner.step.id }),
    ...(inner && { kind: inner.kind }),
    ...(step.call !== undefined && { tool: step.call }),
    ...(tier && { tier }),
    ...(step.when !== undefined && { when: step.when }),
    ...(step.forEach && { forEach: true }),
  };
};

const edgesOf = ({ tree, uses }: FlowProgram): readonly FlowGraphEdge[] => {
  const edges = new Map<string, FlowGraphEdge>();
  const add = (from: string, to: string, type: 'order' | 'data'): void => {
    const key = `${from}\0${to}`;
    const other = edges.get(key);
    edges.set(key, { from, to, type: other && other.type !== type ? 'both' : type });
  };
  for (const { step, before } of tree.nodes) {
    for (const each of before) add(each.step.id, step.id, 'order');
  }
  for (const { node, reference } of uses) {
    const { step: from } = reference;
    if (!node || from === undefined || from === node.step.id || !tree.byId.has(from)) continue;
    add(from, node.step.id, 'data');
  }
  return [...edges.values()];
};

export const graphOfFlow = (flow: FlowData, tools?: Pick<FlowTools, 'get'>): FlowGraph => {
  const program = compileProgram(flow);
  const { name, version, kind = 'sequential' } = flow;
  const nodes = program.tree.nodes.map((node) => nodeOf(node, tools));
  return { name, version, kind, nodes, edges: edgesOf(program) };
};
