/**
 * Draws a graph as SVG: a plain picture without script, links or outside parts, in light and dark. Every
 * text is escaped; a hostile name is only ever text.
 */
import { type DrawnNode, type FlowDrawing, leftOutText } from '../../contract/flow-view.ts';
import { visibleText } from '../text/visible-text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** An edge as the library names it. */
type Edge = Readonly<Record<'v' | 'w' | 'name', string>>;

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly (readonly Point[])[];
}

const CHARACTER_PX = 7.6;
const NODE_HEIGHT = 52;
const MIN_WIDTH = 120;
const MAX_CHARACTERS = 40;
const PADDING = 24;
const MARGIN = 16;
/** Below the graph, where something is left out. */
const FOOT_HEIGHT = 24;
const FOOT_WIDTH = 560;

const cut = (text: string): string => {
  const characters = [...visibleText(text)];
  if (characters.length <= MAX_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const widthOf = ({ label, note = '' }: DrawnNode): number => {
  const characters = Math.max([...cut(label)].length, [...cut(note)].length * 0.85);
  return Math.max(MIN_WIDTH, Math.round(characters * CHARACTER_PX) + PADDING);
};

/** Places the nodes from top to bottom; the library is loaded with the first graph. */
const layoutOf = async ({ nodes, edges }: FlowDrawing): Promise<Layout> => {
  const { graphlib, layout } = await import('@dagrejs/dagre');
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 40, marginx: MARGIN, marginy: MARGIN });
  for (const [at, node] of nodes.entries()) {
    graph.setNode(String(at), { width: widthOf(node), height: NODE_HEIGHT });
  }
  const numbers = new Map(nodes.map(({ id }, at) => [id, String(at)]));
  const drawn = edges.filter(({ from, to }) => numbers.has(from) && numbers.has(to));
  for (const [at, { from, to }] of drawn.entries()) {
    graph.setEdge(
      { v: String(numbers.get(from)), w: String(numbers.get(to)), name: String(at) },
      {},
    );
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: nodes.map((_, at) => graph.node(String(at)) as Box),
    lines: (graph.edges() as readonly Edge[]).map(
      (edge) => (graph.edge(edge) as { readonly points: readonly Point[] }).points,
    ),
  };
};

const px = (value: number): string => String(Math.round(value * 10) / 10);

const lineOf = (points: readonly Point[]): string => {
  const [first, ...rest] = points;
  if (!first) return '';
  const path = rest.map(({ x, y }) => `L${px(x)} ${px(y)}`).join('');
  return `<path class="edge" d="M${px(first.x)} ${px(first.y)}${path}" marker-end="url(#arrow)"/>`;
};

const boxOf = (node: DrawnNode, { x, y, width, height }: Box): string => {
  const at = `x="${px(x - width / 2)}" y="${px(y - height / 2)}"`;
  const { label, kind, state, note = '' } = node;
  const title = `<title>${escaped(visibleText(`${label}: ${kind}, ${state}`))}</title>`;
  const second =
    note === ''
      ? ''
      : `<text class="note" x="${px(x)}" y="${px(y + 15)}">${escaped(cut(note))}</text>`;
  return [
    `<g class="${state}">${title}<rect ${at} width="${px(width)}" height="${px(height)}" rx="7"/>`,
    `<text x="${px(x)}" y="${px(y + (note === '' ? 5 : -3))}">${escaped(cut(label))}</text>${second}</g>`,
  ].join('');
};

const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--soft:#57606a;--box:#f6f8fa;--done:#1a7f37;--failed:#cf222e;--open:#9a6700;--planned:#8c959f}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9198a1;--box:#161b22;--done:#3fb950;--failed:#f85149;--open:#d29922;--planned:#6e7681}}
svg{background:var(--paper)}text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink);text-anchor:middle}
.note{font-size:11px;fill:var(--soft)}rect{fill:var(--box);stroke:var(--planned);stroke-width:2}
.done rect{stroke:var(--done)}.failed rect{stroke:var(--failed)}.open rect{stroke:var(--open);stroke-dasharray:5 3}.skipped rect{stroke-dasharray:2 4}
.edge{fill:none;stroke:var(--soft);stroke-width:1.5}.tip{fill:var(--soft)}`;

const ARROW =
  '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker>';

/** Makes room for a line that says what is left out. */
const withFoot = (layout: Layout): Layout => ({
  ...layout,
  width: Math.max(layout.width, FOOT_WIDTH),
  height: layout.height + FOOT_HEIGHT,
});

/** Returns the picture as one text. */
export const graphSvg = async (graph: FlowDrawing): Promise<string> => {
  const foot = leftOutText(graph);
  const layout = await layoutOf(graph);
  const { width, height, boxes, lines } = foot === undefined ? layout : withFoot(layout);
  const size = `width="${Math.max(width, 1)}" height="${Math.max(height, 1)}"`;
  const shown = `viewBox="0 0 ${Math.max(width, 1)} ${Math.max(height, 1)}"`;
  const nodes = graph.nodes.map((node, at) => boxOf(node, boxes[at] as Box));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${shown} role="img">`,
    `<title>Flow</title><defs><style>${STYLE}\n</style>${ARROW}</defs>`,
    ...lines.map(lineOf),
    ...nodes,
    ...(foot === undefined
      ? []
      : [`<text class="note" x="${px(width / 2)}" y="${height - MARGIN / 2}">${foot}</text>`]),
    '</svg>',
    '',
  ].join('\n');
};
