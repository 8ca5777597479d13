/** Draws the tools of a snapshot as a table: as many columns and rows as the screen has room for. */
import type { Colors } from 'picocolors/types.js';
import { MINUTE_MS } from '../../../kit/data/durations.ts';
import { cutToWidth, padToWidth } from '../../../kit/text/text-width.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { formatCost, formatCount, formatShare, formatTimed } from '../../output/format-units.ts';
import { joined, painted, rateInk, type TopSort, type TopView } from './screen-text.ts';
import { type ToolFigures, type TopSnapshot, WINDOW_MS } from './top-snapshot.ts';

const byName = (one: ToolFigures, other: ToolFigures): number => (one.name < other.name ? -1 : 1);

const ORDERS: Readonly<Record<TopSort, (one: ToolFigures, other: ToolFigures) => number>> = {
  calls: (one, other) => other.calls - one.calls,
  failed: (one, other) => other.errorRate - one.errorRate || other.calls - one.calls,
  time: (one, other) => other.p95Ms - one.p95Ms,
  cost: (one, other) => other.costUsd - one.costUsd || other.calls - one.calls,
  name: byName,
};

interface Column {
  readonly head: string;
  readonly sort?: TopSort;
  readonly width: number;
  readonly text: (tool: ToolFigures) => string;
}

/** On a narrow screen columns are dropped from the end of this list. */
const COLUMNS: readonly Column[] = [
  { head: 'calls', sort: 'calls', width: 8, text: ({ calls }) => formatCount(calls) },
  { head: 'failed', sort: 'failed', width: 8, text: ({ errorRate }) => formatShare(errorRate) },
  { head: 'p95', sort: 'time', width: 10, text: ({ p95Ms }) => formatTimed(p95Ms) },
  { head: 'running', width: 9, text: ({ running }) => (running > 0 ? String(running) : '·') },
  { head: 'median', width: 10, text: ({ medianMs }) => formatTimed(medianMs) },
  { head: 'cost', sort: 'cost', width: 11, text: ({ costUsd }) => formatCost(costUsd) },
];

const MIN_NAME = 14;

const columnsFor = (columns: number): readonly Column[] => {
  let left = columns - MIN_NAME;
  return COLUMNS.filter(({ width }) => {
    left -= width;
    return left >= 0;
  });
};

export const toolLines = (
  { tools }: TopSnapshot,
  { columns, sort }: TopView,
  { ink, room }: { readonly ink: Colors; readonly room: number },
): readonly string[] => {
  const shown = columnsFor(columns);
  const nameWidth = columns - shown.reduce((sum, { width }) => sum + width, 0);
  const head = (text: string, isSort: boolean): string => (isSort ? `${text}▾` : text);
  const title = `tool, last ${WINDOW_MS / MINUTE_MS} min`;
  const heads = shown.map(({ head: text, sort: by, width }) =>
    head(text, by === sort).padStart(width),
  );
  const top = `${head(cutToWidth(title, nameWidth - 1), sort === 'name').padEnd(nameWidth)}${heads.join('')}`;
  const sorted = [...tools].sort((one, other) => ORDERS[sort](one, other) || byName(one, other));
  const isCut = sorted.length > room;
  const rows = sorted.slice(0, isCut ? Math.max(0, room - 1) : room).map((tool) => {
    const shortName = cutToWidth(visibleText(tool.name) || '(none)', nameWidth - 1);
    const name = padToWidth(shortName, nameWidth);
    return joined(
      [
        { text: name, paint: ink.bold },
        ...shown.map(({ text, width, sort: by }) =>
          painted(
            cutToWidth(text(tool), width - 1).padStart(width),
            by === 'failed' ? rateInk(tool.errorRate, ink) : undefined,
          ),
        ),
      ],
      columns,
    );
  });
  const more =
    isCut && room > 0
      ? [ink.dim(cutToWidth(`… ${sorted.length - rows.length} more`, columns))]
      : [];
  const none =
    sorted.length === 0 && room > 0 ? [ink.dim(cutToWidth('no calls yet', columns))] : [];
  return [ink.dim(cutToWidth(top, columns)), ...rows, ...more, ...none];
};
