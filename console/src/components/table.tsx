/**
 * A table whose rows can be sorted by a column and walked with the arrow keys. The first cell of a
 * row is its link, stretched over the whole row, so a click anywhere opens it.
 */
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { nextSort, type Sort, sortRows } from './sort-rows.ts';

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  cell(row: T): ReactNode;
  /** What the column sorts by; without it, it does not sort. */
  sortBy?(row: T): string | number;
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isSecondary?: boolean;
}

export interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T): string;
  hrefOf?(row: T): string;
  isCurrent?(row: T): boolean;
}

/** Moves the focus by the arrow keys to the link of the next row or the one before. */
const walkRows = (event: KeyboardEvent<HTMLElement>): void => {
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a.row-link')];
  const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
};

const classOf = ({ isNumber, isSecondary }: Pick<Column<never>, 'isNumber' | 'isSecondary'>) =>
  [isNumber && 'number', isSecondary && 'secondary'].filter(Boolean).join(' ') || undefined;

const Heading = <T,>(props: {
  readonly column: Column<T>;
  readonly sort: Sort | undefined;
  readonly onSort: (id: string) => void;
}) => {
  const { column, sort, onSort } = props;
  const direction = sort?.id === column.id ? sort.direction : undefined;
  return (
    <th scope="col" className={classOf(column)} aria-sort={direction}>
      {column.sortBy ? (
        <button type="button" className="sort" onClick={() => onSort(column.id)}>
          {column.title}
          <span aria-hidden="true" className="sort-mark">
            {direction === undefined ? '' : direction === 'ascending' ? '▲' : '▼'}
          </span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
};

const Row = <T,>({ row, table }: { readonly row: T; readonly table: TableProps<T> }) => {
  const href = table.hrefOf?.(row);
  const isCurrent = table.isCurrent?.(row) ?? false;
  return (
    <tr className={isCurrent ? 'current' : undefined}>
      {table.columns.map((column, index) => (
        <td key={column.id} className={classOf(column)}>
          {index === 0 && href !== undefined ? (
            <a className="row-link" href={href} aria-current={isCurrent || undefined}>
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
};

export const Table = <T,>(props: TableProps<T>) => {
  const [sort, setSort] = useState<Sort>();
  const by = props.columns.find(({ id }) => id === sort?.id)?.sortBy;
  const rows = sort && by ? sortRows(props.rows, by, sort.direction) : props.rows;
  return (
    <div className="table-wrap">
      <table aria-label={props.label}>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <Heading
                key={column.id}
                column={column}
                sort={sort}
                onSort={(id) => setSort((old) => nextSort(old, id))}
              />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={walkRows}>
          {rows.map((row) => (
            <Row key={props.keyOf(row)} row={row} table={props} />
          ))}
        </tbody>
      </table>
    </div>
  );
};
