/** PageRank over a weighted graph without directions: what many important neighbours point at is important. */

/** Two nodes, by index, and how strongly they belong together. */
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

/** The rank of every node; all together they sum up to at most the number of nodes. */
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
      (most, rank, i) => Math.max(most, Math.abs(rank - (ranks[i] ?? 0))),
      0,
    );
    ranks = next;
    if (change < SETTLED) break;
  }
  return ranks;
};
