/** A query for the engines, and their answer. */

export type ParamValue = string | number | boolean | null;

export interface QueryRequest {
  readonly query: string;
  readonly params: readonly ParamValue[];
  readonly mode: 'read' | 'write';
  readonly maxRows: number;
  /** Limit of the rows as JSON. */
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface QueryAnswer {
  readonly columns: string[];
  readonly rows: Record<string, unknown>[];
  /** Rows returned, or rows changed by a statement that returns none. */
  readonly rowCount: number;
  readonly truncated: boolean;
}

/** Numbers columns of the same name, so that no value is lost. */
export const uniqueNames = (names: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}:${count}`;
  });
};

/** Makes objects of rows until one of the limits is reached. */
export const takeRows = (
  names: readonly string[],
  values: Iterable<readonly unknown[]>,
  { maxRows, maxBytes }: Pick<QueryRequest, 'maxRows' | 'maxBytes'>,
): Pick<QueryAnswer, 'columns' | 'rows' | 'truncated'> => {
  const columns = uniqueNames(names);
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const row of values) {
    const record = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]));
    bytes += JSON.stringify(record).length;
    if (rows.length === maxRows || bytes > maxBytes) return { columns, rows, truncated: true };
    rows.push(record);
  }
  return { columns, rows, truncated: false };
};
