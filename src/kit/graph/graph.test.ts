import { describe, expect, it } from 'vitest';
import type { FlowDrawing, StepView } from '../../contract/flow-view.ts';
import { graphSvg } from './graph-svg.ts';
import { journalGraph, MAX_DRAWN_STEPS } from './journal-graph.ts';
import { mermaidText } from './mermaid-text.ts';

const step = (key: string, from: number, to?: number): StepView => ({
  key,
  kind: 'call',
  name: `tool_${key}`,
  state: to === undefined ? 'open' : 'done',
  startedAt: from,
  ...(to !== undefined && { finishedAt: to }),
});
const edgesOf = (steps: readonly StepView[]): readonly string[] =>
  journalGraph(steps).edges.map(({ from, to }) => `${from}-${to}`);

describe('journalGraph', () => {
  it('joins each step with those directly before it', () => {
    const steps = [step('1', 0, 10), step('2', 10, 20), step('3', 10, 30), step('4', 30)];
    expect(edgesOf(steps)).toEqual(['1-2', '1-3', '2-4', '3-4']);
  });

  it('keeps the order of steps that took no time', () => {
    expect(edgesOf([step('1', 5, 5), step('2', 5, 5), step('3', 5, 5)])).toEqual(['1-2', '2-3']);
  });

  it('draws the first steps of a run that has very many', () => {
    const many = Array.from({ length: MAX_DRAWN_STEPS + 50 }, (_, at) => step(`${at}`, at, at + 1));
    expect(journalGraph(many).nodes).toHaveLength(MAX_DRAWN_STEPS);
  });
});

const HOSTILE = '"]; click n0 "javascript:alert(1)" <script>alert(1)</script> \u202Etxt & \'x\'';
const hostile: FlowDrawing = {
  nodes: [
    { id: 'a"b', label: HOSTILE, kind: 'call', state: 'done', note: HOSTILE },
    { id: 'c', label: 'c', kind: 'approval', state: 'open' },
  ],
  edges: [{ from: 'a"b', to: 'c', label: HOSTILE }],
};

describe('threat: the name of a step is markup', () => {
  it('hostile: the SVG holds it as text only', async () => {
    const svg = await graphSvg(hostile);
    expect(svg).not.toMatch(/<script|<a |javascript:alert\(1\)"|\u202E/);
    expect(svg).toContain('&quot;]; click n0');
    expect(
      svg
        .match(/<(\w+)/g)
        ?.every((tag) => /^<(svg|title|defs|style|marker|path|g|rect|text)$/.test(tag)),
    ).toBe(true);
  });

  it('hostile: the Mermaid text holds no quote, bracket or tag of it', () => {
    const text = mermaidText(hostile);
    expect(text).not.toMatch(/<script|click n0 "|javascript:alert\(/);
    expect(text.split('\n').filter((line) => line.startsWith('  n'))).toHaveLength(3);
  });
});

describe('graphSvg', () => {
  it('draws an empty graph, and one with an edge to nowhere', async () => {
    expect(await graphSvg({ nodes: [], edges: [] })).toMatch(/^<svg /);
    const loose: FlowDrawing = {
      nodes: [{ id: 'a', label: 'a', kind: 'call', state: 'planned' }],
      edges: [{ from: 'a', to: 'gone' }],
    };
    expect(await graphSvg(loose)).not.toContain('class="edge"');
  });
});
