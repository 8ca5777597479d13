/**
 * Keeps a drawing small enough to be laid out at once. The library that places the nodes takes minutes for
 * two lists of a hundred steps of which each follows on all of the other, and holds up a server or a browser.
 */
import type { DrawnEdge, FlowDrawing } from '../../contract/flow-view.ts';

/** More nodes are not drawn. */
export const MAX_DRAWN_NODES = 1_000;

/** More edges are not drawn, besides the shortest to each node. */
export const MAX_DRAWN_EDGES = 600;

/** Rows that all edges together may cross: each takes a place in every row between its ends. */
const MAX_CROSSED_ROWS = 1_500;

/** Finds the row of each node: below all that lead to it. Nodes of a loop stay where they were reached. */
const rowsOf = ({ nodes, edges }: FlowDrawing): ReadonlyMap<string, number> => {
  const rows = new Map(nodes.map(({ id }) => [id, 0]));
  const waitsFor = new Map<string, number>();
  const after = new Map<string, string[]>();
  for (const { from, to } of edges) {
    waitsFor.set(to, (waitsFor.get(to) ?? 0) + 1);
    const others = after.get(from);
    if (others) others.push(to);
    else after.set(from, [to]);
  }
  const reached = [...rows.keys()].filter((id) => !waitsFor.has(id));
  for (const id of reached) {
    for (const next of after.get(id) ?? []) {
      rows.set(next, Math.max(rows.get(next) ?? 0, (rows.get(id) ?? 0) + 1));
      const left = (waitsFor.get(next) ?? 0) - 1;
      waitsFor.set(next, left);
      if (left === 0) reached.push(next);
    }
  }
  return rows;
};

/** Keeps the shortest edge to each node, which gives it its row, and the shortest others as far as they fit. */
const fittingEdges = (drawing: FlowDrawing): readonly DrawnEdge[] => {
  const rows = rowsOf(drawing);
  const crossed = ({ from, to }: DrawnEdge): number =>
    Math.max(1, (rows.get(to) ?? 0) - (rows.get(from) ?? 0));
  const shortestFirst = drawing.edges.toSorted((one, other) => crossed(one) - crossed(other));
  const placed = new Set<string>();
  const fitting = new Set<DrawnEdge>();
  let rowsLeft = MAX_CROSSED_ROWS;
  for (const isPlacing of [true, false]) {
    for (const edge of shortestFirst) {
      const isFirst = placed.size !== placed.add(edge.to).size;
      const isTooMuch = fitting.size >= MAX_DRAWN_EDGES || crossed(edge) > rowsLeft;
      if (isPlacing ? !isFirst : fitting.has(edge) || isTooMuch) continue;
      rowsLeft -= crossed(edge);
      fitting.add(edge);
    }
  }
  return drawing.edges.filter((edge) => fitting.has(edge));
};

/** Leaves out what is too much to be laid out, and says how much that is. */
export const boundedDrawing = ({ nodes, edges }: FlowDrawing): FlowDrawing => {
  const drawn = nodes.slice(0, MAX_DRAWN_NODES);
  const ids = new Set(drawn.map(({ id }) => id));
  const between = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const fitting = fittingEdges({ nodes: drawn, edges: between });
  const leftOut = { nodes: nodes.length - drawn.length, edges: edges.length - fitting.length };
  const isWhole = leftOut.nodes === 0 && leftOut.edges === 0;
  return { nodes: drawn, edges: fitting, ...(!isWhole && { leftOut }) };
};
