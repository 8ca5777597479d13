/** Sorting of rows: numbers by size, text as people expect, ties in the order they came. */
export interface Sort {
  readonly id: string;
  readonly direction: 'ascending' | 'descending';
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true, sensitivity: 'base' });

export const sortRows = <T>(
  rows: readonly T[],
  by: (row: T) => string | number,
  direction: Sort['direction'],
): readonly T[] => {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((a, b) => sign * compare(by(a), by(b)));
};

/** Changes the order of a column: ascending, descending, then as the rows came. */
export const nextSort = (old: Sort | undefined, id: string): Sort | undefined => {
  if (old?.id !== id) return { id, direction: 'ascending' };
  return old.direction === 'ascending' ? { id, direction: 'descending' } : undefined;
};
