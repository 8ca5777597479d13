/** Places the nodes of a graph from top to bottom. */
import { graphlib, layout } from '@dagrejs/dagre';
import type { Graph, GraphNode } from '../../api/flow-records.ts';

export interface PlacedNode extends GraphNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly edges: Graph['edges'];
  readonly width: number;
  readonly height: number;
}

const HEIGHT = 54;
const MIN_WIDTH = 130;
const MAX_WIDTH = 280;
const CHARACTER_PX = 8;

/** Writes the second line of a node, with its state as a word: colours alone say little. */
export const noteOf = ({ kind, state, note = '' }: GraphNode): string =>
  [kind, state, note].filter((part) => part !== '').join(' · ');

const widthOf = (node: GraphNode): number => {
  const characters = Math.max(node.label.length, noteOf(node).length * 0.8);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, characters * CHARACTER_PX + 34));
};

/** Edges from or to a node that is not there are left out. */
export const layoutGraph = ({ nodes, edges }: Graph): PlacedGraph => {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 36, marginx: 8, marginy: 8 });
  for (const node of nodes) graph.setNode(node.id, { width: widthOf(node), height: HEIGHT });
  const ids = new Set(nodes.map(({ id }) => id));
  const drawn = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  for (const { from, to } of drawn) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placed = nodes.map((node): PlacedNode => {
    const at = graph.node(node.id) as { x: number; y: number };
    const size = { width: widthOf(node), height: HEIGHT };
    return { ...node, ...size, x: at.x - size.width / 2, y: at.y - size.height / 2 };
  });
  return { nodes: placed, edges: drawn, width, height };
};
