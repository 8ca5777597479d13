/** PageRank over a weighted undirected graph: a node is important when it has many important neighbours. */

/** Two nodes, by index, and the weight of their link. */
export type Edge = readonly [from: number, to: number, weight: number];

const DAMPING = 0.85;
const ROUNDS = 40;
const SETTLED = 1e-7;

const weightsOf = (nodes: number, edges: readonly Edge[]): Float64Array => {
  const weights = new Float64Array(nodes);
  for (const [from, to, weight] of edges) {
    weights[from] = (weights[from] ?? 0) + weight;
    weights[to] = (weights[to] ?? 0) + weight;
  }
  return weights;
};

/** Computes the rank of every node; the sum is at most the number of nodes. */
export const pageRank = (nodes: number, edges: readonly Edge[]): Float64Array => {
  const weights = weightsOf(nodes, edges);
  let ranks = new Float64Array(nodes).fill(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(nodes).fill(1 - DAMPING);
    for (const [from, to, weight] of edges) {
      const [a, b] = [ranks[from] ?? 0, ranks[to] ?? 0];
      next[to] = (next[to] ?? 0) + (DAMPING * a * weight) / (weights[from] || 1);
      next[from] = (next[from] ?? 0) + (DAMPING * b * weight) / (weights[to] || 1);
    }
    const change = next.reduce(
      (max, rank, i) => Math.max(max, Math.abs(rank - (ranks[i] ?? 0))),
      0,
    );
    ranks = next;
    if (change < SETTLED) break;
  }
  return ranks;
};
