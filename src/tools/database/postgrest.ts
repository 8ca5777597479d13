/** Writes a query for PostgREST: filters, order and values become an address and a body. */

export const OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'is',
  'in',
  'cs',
  'cd',
] as const;

type Plain = string | number | boolean | null;

export interface Filter {
  readonly column: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly value: Plain | readonly Plain[];
}

export interface TableQuery {
  readonly operation: 'select' | 'insert' | 'upsert' | 'update' | 'delete' | 'rpc';
  readonly table: string;
  readonly columns: readonly string[];
  readonly filters: readonly Filter[];
  readonly order: readonly { readonly column: string; readonly descending: boolean }[];
  readonly limit: number;
  readonly offset: number;
  readonly values?: unknown;
}

/** Quotes a value of a list, which a comma or a parenthesis would end. */
const listed = (value: Plain): string =>
  typeof value === 'string' ? `"${value.replace(/[\\"]/g, '\\$&')}"` : String(value);

const filterText = ({ operator, value }: Filter): string => {
  if (!Array.isArray(value)) return `${operator}.${String(value)}`;
  const list = value.map((each: Plain) => listed(each)).join(',');
  return operator === 'in' ? `in.(${list})` : `${operator}.{${list}}`;
};

const METHODS = {
  select: 'GET',
  insert: 'POST',
  upsert: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  rpc: 'POST',
} as const;

const PREFER: Readonly<Partial<Record<TableQuery['operation'], string>>> = {
  select: 'count=exact',
  insert: 'return=representation',
  upsert: 'return=representation,resolution=merge-duplicates',
  update: 'return=representation',
  delete: 'return=representation',
};

export interface PostgrestRequest {
  readonly method: string;
  readonly url: URL;
  readonly prefer: string | undefined;
  readonly body: string | undefined;
}

/** Builds the request. `href` is the project's address; the schema of the tool has checked the names. */
export const postgrestRequest = (href: string, request: TableQuery): PostgrestRequest => {
  const { operation, table, columns, filters, order, limit, offset, values } = request;
  const url = new URL(`${href}/rest/v1/${operation === 'rpc' ? 'rpc/' : ''}${table}`);
  for (const filter of filters) url.searchParams.append(filter.column, filterText(filter));
  if (columns.length > 0) url.searchParams.set('select', columns.join(','));
  if (operation === 'select') {
    const sorted = order.map(
      ({ column, descending }) => `${column}.${descending ? 'desc' : 'asc'}`,
    );
    if (sorted.length > 0) url.searchParams.set('order', sorted.join(','));
    url.searchParams.set('limit', String(limit));
    url.searchParams.set('offset', String(offset));
  }
  return {
    method: METHODS[operation],
    url,
    prefer: PREFER[operation],
    body: values === undefined ? undefined : JSON.stringify(values),
  };
};

/** Reads the number of all rows, which follows the slash: `0-9/57`. */
export const totalIn = (contentRange: string | null): number | undefined => {
  const total = /\/(\d{1,15})$/.exec(contentRange ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
};
