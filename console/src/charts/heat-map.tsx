/**
 * A heat map of durations over time. Each cell is a link to its calls: Tab goes to the map, the arrow
 * keys walk from cell to cell, Enter opens the calls.
 */
import { type KeyboardEvent, useId, useState } from 'react';
import type { Heat } from '../api/metric-records.ts';
import { count, duration } from '../components/format.ts';
import {
  bandName,
  HEAT_LEVELS,
  type HeatRow,
  layOut,
  neighbourOf,
  type PlacedCell,
} from './heat-layout.ts';
import { type BucketSize, stepName } from './period.ts';
import './charts.css';

/** The space between two cells, as a share of one. */
const GAP = 0.08;
const MARKS = 5;

interface HeatMapProps {
  readonly heat: Heat;
  readonly label: string;
  readonly bucket: BucketSize;
  hrefOf(cell: PlacedCell): string;
}

const callsText = (calls: number): string => (calls === 1 ? '1 call' : `${count(calls)} calls`);

const keyOf = ({ column, row }: PlacedCell): string => `${column} ${row}`;

const Scale = () => (
  <p className="heat-scale" aria-hidden="true">
    fewer
    {Array.from({ length: HEAT_LEVELS }, (_, at) => `heat-${at + 1}`).map((level) => (
      <span key={level} className={`heat-swatch ${level}`} />
    ))}
    more calls
  </p>
);

/** Draws some moments below the map, evenly apart. */
const TimeMarks = ({ heat, bucket }: Pick<HeatMapProps, 'heat' | 'bucket'>) => {
  const marks = Array.from({ length: MARKS }, (_, at) => {
    const share = at / (MARKS - 1);
    return Math.min(heat.from + share * (heat.to - heat.from), heat.to - heat.columnMs);
  });
  return (
    <div className="heat-times" aria-hidden="true">
      {marks.map((at) => (
        <span key={at}>{stepName(Math.floor(at / heat.columnMs) * heat.columnMs, bucket)}</span>
      ))}
    </div>
  );
};

interface CellProps {
  readonly cell: PlacedCell;
  readonly href: string;
  readonly text: string;
  readonly isReached: boolean;
  onReach(): void;
  onKeyDown(event: KeyboardEvent): void;
}

const Cell = ({ cell, href, text, isReached, onReach, onKeyDown }: CellProps) => (
  <a
    data-cell={keyOf(cell)}
    href={href}
    aria-label={text}
    tabIndex={isReached ? 0 : -1}
    onFocus={onReach}
    onMouseEnter={onReach}
    onKeyDown={onKeyDown}
  >
    <rect
      className={`heat-${cell.level}`}
      x={cell.column + GAP / 2}
      y={cell.row + GAP / 2}
      width={1 - GAP}
      height={1 - GAP}
    />
  </a>
);

const Bands = ({ rows }: { readonly rows: readonly HeatRow[] }) => (
  <ol className="heat-bands" aria-hidden="true">
    {rows.map((row) => (
      <li key={bandName(row)}>{row.upToMs === undefined ? '' : duration(row.upToMs)}</li>
    ))}
  </ol>
);

export const HeatMap = ({ heat, label, bucket, hrefOf }: HeatMapProps) => {
  const { columns, rows, cells } = layOut(heat);
  const [current, setCurrent] = useState('');
  const titleId = useId();
  const reached = cells.find((cell) => keyOf(cell) === current) ?? cells.at(-1);
  const textOf = (cell: PlacedCell): string =>
    `${callsText(cell.calls)} took ${bandName(cell)}, ${stepName(cell.start, bucket)}`;
  const walk = (event: KeyboardEvent, from: PlacedCell): void => {
    const next = neighbourOf(cells, from, event.key);
    if (!next) return;
    event.preventDefault();
    const map = event.currentTarget.parentElement;
    map?.querySelector<SVGAElement>(`[data-cell="${keyOf(next)}"]`)?.focus();
  };
  return (
    <figure className="heat" aria-label={label}>
      <div className="heat-frame">
        <Bands rows={rows} />
        <svg
          className="heat-cells"
          viewBox={`0 0 ${columns} ${rows.length}`}
          preserveAspectRatio="none"
          style={{ height: `${Math.max(rows.length * 18, 54)}px` }}
          aria-labelledby={titleId}
        >
          <title id={titleId}>{label}</title>
          {cells.map((cell) => (
            <Cell
              key={keyOf(cell)}
              cell={cell}
              href={hrefOf(cell)}
              text={textOf(cell)}
              isReached={cell === reached}
              onReach={() => setCurrent(keyOf(cell))}
              onKeyDown={(event) => walk(event, cell)}
            />
          ))}
        </svg>
      </div>
      <TimeMarks heat={heat} bucket={bucket} />
      <figcaption>
        <span>{reached ? textOf(reached) : ''}</span>
        <Scale />
      </figcaption>
    </figure>
  );
};
