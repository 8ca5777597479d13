/** Makes a drawing of a flow as data: its steps as they are declared, with the state of a run. */
import type {
  FlowGraph,
  FlowGraphNode,
  FlowNodeState,
  FlowRunNodes,
} from '../../contract/flow-data.ts';
import type { DrawnNode, FlowDrawing, NodeState } from '../../contract/flow-view.ts';
import { boundedDrawing } from './bounded-drawing.ts';

const KINDS: Readonly<Record<FlowGraphNode['type'], DrawnNode['kind']>> = {
  call: 'call',
  flow: 'child',
  approve: 'approval',
  sleep: 'sleep',
  wait: 'event',
  group: 'group',
};

const STATES: Readonly<Record<FlowNodeState['status'], NodeState>> = {
  pending: 'planned',
  running: 'open',
  waiting: 'open',
  pending_approval: 'open',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'skipped',
};

const itemsText = ({ items }: FlowNodeState): string => {
  if (!items) return '';
  const failed = items.failed > 0 ? `, ${items.failed} failed` : '';
  return `${items.done} items${failed}`;
};

const stateText = (state: FlowNodeState): string => {
  const { startedAt, finishedAt, because = '', status, error } = state;
  const time =
    startedAt === undefined || finishedAt === undefined ? '' : `${finishedAt - startedAt} ms`;
  const trouble = status === 'failed' ? (error?.code ?? '') : because;
  return [trouble, itemsText(state), time].filter((part) => part !== '').join(' · ');
};

const declaredText = ({ tier, when, forEach = false, kind }: FlowGraphNode): string =>
  [kind, tier, forEach ? 'for each item' : undefined, when === undefined ? when : `when ${when}`]
    .filter((part) => part !== undefined)
    .join(' · ');

const nodeOf = (node: FlowGraphNode, state: FlowNodeState | undefined): DrawnNode => ({
  id: node.id,
  label: node.label === node.id ? node.id : `${node.id}: ${node.label}`,
  kind: KINDS[node.type],
  state: state ? STATES[state.status] : 'planned',
  note: state ? stateText(state) : declaredText(node),
});

/** Draws the steps of all groups; a group is a node before its steps. */
export const declaredDrawing = (graph: FlowGraph, run?: FlowRunNodes): FlowDrawing => {
  const states = new Map(run?.nodes.map((state) => [state.id, state]));
  const withInner = new Set(graph.edges.map(({ to }) => to));
  const inner = graph.nodes.flatMap(({ id, parent }) =>
    parent === undefined || withInner.has(id) ? [] : { from: parent, to: id },
  );
  const edges = graph.edges.map(({ from, to, type }) => ({
    from,
    to,
    ...(type === 'data' && { label: 'data' }),
  }));
  return boundedDrawing({
    nodes: graph.nodes.map((node) => nodeOf(node, states.get(node.id))),
    edges: [...inner, ...edges],
  });
};
