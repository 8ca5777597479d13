/** Places the cells of a heat map: columns of time, rows of durations, and how dark each cell is. */
import type { Heat, HeatCell } from '../api/metric-records.ts';
import { duration } from '../components/format.ts';

export const HEAT_LEVELS = 6;

export interface PlacedCell extends HeatCell {
  readonly column: number;
  /** 0 at the top, which is the longest duration. */
  readonly row: number;
  /** 1 to `HEAT_LEVELS`: one call is pale, as many as the fullest cell has are dark. */
  readonly level: number;
}

export interface HeatRow {
  readonly overMs?: number;
  readonly upToMs?: number;
  /** Its calls in all columns. */
  readonly calls: number;
}

export interface HeatLayout {
  readonly columns: number;
  /** Longest durations first, without a gap. */
  readonly rows: readonly HeatRow[];
  readonly cells: readonly PlacedCell[];
}

/** Rows are doublings of 1 µs; this numbers them upwards. */
const doublingOf = ({ overMs }: Pick<HeatCell, 'overMs'>): number =>
  overMs === undefined ? 0 : Math.round(Math.log2(overMs * 1000));

const limitsOf = (doubling: number): Pick<HeatRow, 'overMs' | 'upToMs'> => ({
  ...(doubling > 0 && { overMs: 2 ** doubling / 1000 }),
  upToMs: 2 ** (doubling + 1) / 1000,
});

const levelOf = (calls: number, most: number): number =>
  most <= 1 ? HEAT_LEVELS : 1 + Math.round((Math.log(calls) / Math.log(most)) * (HEAT_LEVELS - 1));

export const layOut = ({ from, to, columnMs, cells }: Heat): HeatLayout => {
  if (cells.length === 0) return { columns: 0, rows: [], cells: [] };
  const doublings = cells.map(doublingOf);
  const lowest = Math.min(...doublings);
  const highest = Math.max(...doublings);
  const most = Math.max(...cells.map(({ calls }) => calls));
  const placed = cells.map((cell, at) => ({
    ...cell,
    column: Math.round((cell.start - from) / columnMs),
    row: highest - (doublings[at] ?? 0),
    level: levelOf(cell.calls, most),
  }));
  const rows = Array.from({ length: highest - lowest + 1 }, (_, row) => {
    const own = placed.filter((cell) => cell.row === row);
    const calls = own.reduce((sum, cell) => sum + cell.calls, 0);
    const [first] = own;
    // The row of the longest durations has no upper limit, and only its cells know.
    const isOpen = first !== undefined && first.upToMs === undefined;
    const { upToMs, ...lower } = limitsOf(highest - row);
    return { ...lower, ...(!isOpen && upToMs !== undefined && { upToMs }), calls };
  });
  return { columns: Math.round((to - from) / columnMs), rows, cells: placed };
};

/** Names a band of durations: `2.0 ms to 4.1 ms`, `up to 2 µs`, `over 36 min`. */
export const bandName = ({ overMs, upToMs }: Pick<HeatRow, 'overMs' | 'upToMs'>): string => {
  if (overMs === undefined) return `up to ${duration(upToMs ?? 0)}`;
  if (upToMs === undefined) return `over ${duration(overMs)}`;
  return `${duration(overMs)} to ${duration(upToMs)}`;
};

/** Finds the cell that an arrow key leads to: the nearest one in that direction. */
export const neighbourOf = (
  cells: readonly PlacedCell[],
  from: PlacedCell,
  key: string,
): PlacedCell | undefined => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!step) return undefined;
  const [across = 0, down = 0] = step;
  const distance = ({ column, row }: PlacedCell): number => {
    const ahead = (column - from.column) * across + (row - from.row) * down;
    const aside =
      Math.abs(column - from.column) * Math.abs(down) + Math.abs(row - from.row) * Math.abs(across);
    return ahead > 0 ? ahead + 3 * aside : Number.POSITIVE_INFINITY;
  };
  const near = cells.reduce<PlacedCell | undefined>(
    (best, cell) => (best === undefined || distance(cell) < distance(best) ? cell : best),
    undefined,
  );
  return near && Number.isFinite(distance(near)) ? near : undefined;
};
