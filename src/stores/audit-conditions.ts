/** Turns the fields of an audit filter into conditions of SQL, each before its placeholders. */
import type { AuditFilter } from '../contract/audit.ts';
import { toSqlText } from '../kit/text/sql-text.ts';

export interface AuditCondition {
  /** E.g. `tool =`; its placeholders follow in brackets. */
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

const FIELDS = [
  ['executionId', 'execution_id ='],
  ['userId', 'user_id ='],
  ['tool', 'tool ='],
  ['version', 'version ='],
  ['tier', 'tier ='],
  ['status', 'status ='],
  ['statuses', 'status IN'],
  ['code', 'code ='],
  ['kind', 'kind ='],
  ['from', 'at >='],
  ['to', 'at <'],
  ['overMs', 'duration_ms >'],
  ['upToMs', 'duration_ms <='],
] as const satisfies readonly (readonly [keyof AuditFilter, string])[];

const valuesOf = (value: string | number | readonly string[]): AuditCondition['values'] => {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return [toSqlText(value)];
  // No row has the status NULL, and PostgreSQL takes no empty list.
  return value.length === 0 ? [null] : value;
};

/** Leaves out the number of a row, which each driver looks up in its own way. */
export const auditConditions = (filter: AuditFilter): readonly AuditCondition[] =>
  FIELDS.flatMap(([field, sql]) => {
    const value = filter[field];
    return value === undefined ? [] : [{ sql, values: valuesOf(value) }];
  });

/** Writes conditions as SQL; `placeholder` is asked once for each value, in order. */
export const conditionTexts = (
  conditions: readonly AuditCondition[],
  placeholder: () => string,
): readonly string[] =>
  conditions.map(({ sql, values }) => `${sql} (${values.map(placeholder).join(', ')})`);
