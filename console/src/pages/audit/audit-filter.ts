/** What of the trail is shown, kept in the address: names as they are, moments as the input box has them. */
import type { Query } from '../../api/create-api.ts';
import { TIERS } from '../../api/tool-records.ts';
import { choiceOf } from '../../router/route.ts';

const FILTER_NAMES = ['user', 'tool', 'tier', 'status', 'code', 'kind', 'from', 'to'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type AuditFilter = Readonly<Partial<Record<FilterName, string>>>;

export const STATUSES = [
  'success',
  'failure',
  'denied',
  'pending',
  'timeout',
  'cancelled',
  'started',
  'unknown',
  'undone',
] as const;

export const KINDS = ['intent', 'outcome', 'event'] as const;

/** What the drop-downs offer. */
const CHOICES: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
  status: STATUSES,
  kind: KINDS,
  tier: TIERS,
};

/** Reads the known filters that are not empty. */
export const filterOf = (query: Readonly<Record<string, string>>): AuditFilter => {
  const filter: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = Object.hasOwn(query, name) ? query[name]?.trim() : undefined;
    const choices = CHOICES[name];
    const usable = choices ? choiceOf(value, choices) : value;
    if (usable) filter[name] = usable;
  }
  return filter;
};

export const isFiltered = (filter: AuditFilter): boolean => Object.keys(filter).length > 0;

/** Reads `2026-11-15T12:30` in the reader's own time zone; `undefined` for other text. */
const momentOf = (local: string | undefined): number | undefined => {
  const at = local === undefined ? Number.NaN : new Date(local).getTime();
  return Number.isNaN(at) ? undefined : at;
};

/** Makes the query of the API. */
export const queryOf = ({ from, to, ...names }: AuditFilter): Query => ({
  ...names,
  from: momentOf(from),
  to: momentOf(to),
});

/** Tells whether the server would accept a text as the number of a row. */
export const isRowNumber = (text: string): boolean =>
  /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));

/** Says why the filter can match nothing; empty while it can. */
export const filterProblem = ({ from, to }: AuditFilter): string => {
  if (from !== undefined && momentOf(from) === undefined) return '“From” is no date and time.';
  if (to !== undefined && momentOf(to) === undefined) return '“To” is no date and time.';
  const start = momentOf(from);
  const end = momentOf(to);
  return start !== undefined && end !== undefined && start >= end
    ? '“From” has to be before “To”.'
    : '';
};
