/** Writes a graph as Mermaid text, for documents and reviews. */
import { type DrawnNode, type FlowDrawing, leftOutText } from '../../contract/flow-view.ts';
import { visibleText } from '../text/visible-text.ts';

/**
 * Quotes a text. Mermaid reads entities inside quotes; everything that could end the quotes becomes
 * one.
 */
const quoted = (text: string): string =>
  `"${visibleText(text).replace(/[^\p{L}\p{N} .,:/@_$%+=…→-]/gu, (character) => `#${character.codePointAt(0)};`)}"`;

const SHAPES: Readonly<Record<string, readonly [string, string]>> = {
  approval: ['{{', '}}'],
  event: ['>', ']'],
  sleep: ['([', '])'],
  child: ['[[', ']]'],
  group: ['[/', '/]'],
};
const BOX = ['[', ']'] as const;

const CLASSES = [
  '  classDef done stroke:#1a7f37,stroke-width:2px',
  '  classDef failed stroke:#cf222e,stroke-width:2px',
  '  classDef open stroke:#9a6700,stroke-width:2px,stroke-dasharray:4 3',
  '  classDef planned stroke:#6e7781',
  '  classDef skipped stroke:#6e7781,stroke-dasharray:2 4',
];

const nodeLine = ({ label, kind, state, note = '' }: DrawnNode, id: string): string => {
  const [open, close] = SHAPES[kind] ?? BOX;
  const text =
    note === '' ? quoted(label) : `${quoted(label).slice(0, -1)}<br/>${quoted(note).slice(1)}`;
  return `  ${id}${open}${text}${close}:::${state}`;
};

/** Returns the text. Ids are numbers of ours, so that no name of a step can break out of its place. */
export const mermaidText = ({ nodes, edges, leftOut }: FlowDrawing): string => {
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = edges.map(({ from, to, label }) => {
    const arrow = label === undefined ? '-->' : `-->|${quoted(label)}|`;
    return `  ${ids.get(from)} ${arrow} ${ids.get(to)}`;
  });
  const boxes = nodes.map((node, at) => nodeLine(node, `n${at}`));
  const notes = leftOut ? [`  %% ${leftOutText({ leftOut })}`] : [];
  return ['flowchart TD', ...notes, ...boxes, ...lines, ...CLASSES, ''].join('\n');
};
