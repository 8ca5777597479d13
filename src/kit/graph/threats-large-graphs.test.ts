/** Threat: whoever looks at a run with many steps keeps the server, or the browser of another, busy for minutes. */
import { describe, expect, it } from 'vitest';
import type { DrawnNode, FlowDrawing, StepView } from '../../contract/flow-view.ts';
import { boundedDrawing, MAX_DRAWN_EDGES, MAX_DRAWN_NODES } from './bounded-drawing.ts';
import { declaredDrawing } from './declared-drawing.ts';
import { graphSvg } from './graph-svg.ts';
import { journalGraph } from './journal-graph.ts';
import { mermaidText } from './mermaid-text.ts';

const MAX_MS = 20_000;

/** Steps that ran in layers: each of a layer after all of the one before. */
const layered = (layers: number, width: number): readonly StepView[] =>
  Array.from({ length: layers * width }, (_, at) => {
    const startedAt = Math.floor(at / width) * 100;
    const times = { startedAt, finishedAt: startedAt + 50 };
    return { key: `s${at}`, kind: 'call', name: 'echo', state: 'done', ...times };
  });

const declared = (count: number, sources: (at: number) => readonly number[]): FlowDrawing => {
  const ids = Array.from({ length: count }, (_, at) => `s${at}`);
  const nodes = ids.map((id, level) => ({ id, type: 'call' as const, label: id, level }));
  const edges = ids.flatMap((to, at) =>
    sources(at).map((from) => ({ from: `s${from}`, to, type: 'order' as const })),
  );
  return declaredDrawing({ name: 'flow', version: '1.0.0', kind: 'dag', nodes, edges });
};

const before = (at: number): readonly number[] => (at === 0 ? [] : [at - 1]);

const HOSTILE: readonly (readonly [string, () => FlowDrawing])[] = [
  ['two lists of 150 steps run at once', () => journalGraph(layered(2, 150))],
  ['ten lists of 30 steps run at once', () => journalGraph(layered(10, 30))],
  [
    'each of 300 declared steps uses the first',
    () => declared(300, (at) => (at < 2 ? before(at) : [at - 1, 0])),
  ],
  ['2,500 declared steps run one after the other', () => declared(2_500, before)],
];

describe('threat: the drawing of a run or flow with very many steps or arrows', () => {
  it.each(HOSTILE)(
    'hostile: is laid out soon where %s',
    { timeout: 60_000 },
    async (_what, make) => {
      const startedAt = performance.now();
      const drawing = make();
      expect(drawing.edges.length).toBeLessThanOrEqual(MAX_DRAWN_NODES);
      const svg = await graphSvg(drawing);
      expect(performance.now() - startedAt).toBeLessThan(MAX_MS);
      expect(svg).toContain('Too large to be drawn whole');
      expect(mermaidText(drawing)).toContain('%% Too large to be drawn whole');
    },
  );

  it('hostile: still shows of each step of a large run after which one it ran', () => {
    const { nodes, edges, leftOut } = journalGraph(layered(10, 30));
    expect(nodes).toHaveLength(300);
    expect(new Set(edges.map(({ to }) => to)).size).toBe(270);
    expect(leftOut).toEqual({ nodes: 0, edges: 9 * 30 * 30 - MAX_DRAWN_EDGES });
  });

  it.each([
    ['10 and 10 steps of a run', () => journalGraph(layered(2, 10))],
    ['200 declared steps', () => declared(200, before)],
    ['a loop', () => boundedDrawing(loop())],
    ['nothing', () => boundedDrawing({ nodes: [], edges: [] })],
  ])('benign: leaves nothing out of a drawing of %s', async (_what, make) => {
    const drawing = make();
    expect(drawing.leftOut).toBeUndefined();
    expect(await graphSvg(drawing)).not.toContain('Too large');
    expect(mermaidText(drawing)).not.toContain('Too large');
  });
});

const loop = (): FlowDrawing => {
  const node = (id: string): DrawnNode => ({ id, label: id, kind: 'call', state: 'done' });
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  return { nodes: [node('a'), node('b')], edges };
};
