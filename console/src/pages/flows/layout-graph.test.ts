import { describe, expect, it } from 'vitest';
import { layoutGraph } from './layout-graph.ts';

const node = (id: string) => ({ id, label: id, kind: 'call', state: 'done' });

describe('layoutGraph', () => {
  it('puts a step below those before it, and steps of one level side by side', () => {
    const { nodes } = layoutGraph({
      nodes: [node('a'), node('b'), node('c')],
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
      ],
    });
    const [a, b, c] = nodes;
    expect(b?.y).toBeGreaterThan((a?.y ?? 0) + (a?.height ?? 0));
    expect(b?.y).toBe(c?.y);
    expect(Math.abs((b?.x ?? 0) - (c?.x ?? 0))).toBeGreaterThanOrEqual(b?.width ?? 1);
  });

  it('leaves out an edge whose node is missing, and draws nothing for no nodes', () => {
    expect(layoutGraph({ nodes: [node('a')], edges: [{ from: 'a', to: 'x' }] }).edges).toEqual([]);
    expect(layoutGraph({ nodes: [], edges: [] }).nodes).toEqual([]);
  });

  it('keeps names apart that objects have themselves', () => {
    const { nodes } = layoutGraph({ nodes: [node('constructor'), node('__proto__')], edges: [] });
    expect(nodes).toHaveLength(2);
  });
});
