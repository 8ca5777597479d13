/** Turns the fields of an audit filter into conditions of SQL, each before its placeholder. */
import type { AuditFilter } from '../contract/audit.ts';
import { toSqlText } from '../kit/text/sql-text.ts';

export interface AuditCondition {
  /** E.g. `tool =`; the placeholder follows. */
  readonly sql: string;
  readonly value: string | number;
}

const FIELDS = [
  ['executionId', 'execution_id ='],
  ['userId', 'user_id ='],
  ['tool', 'tool ='],
  ['tier', 'tier ='],
  ['status', 'status ='],
  ['kind', 'kind ='],
  ['from', 'at >='],
  ['to', 'at <'],
] as const satisfies readonly (readonly [keyof AuditFilter, string])[];

/** Leaves out the number of a row, which each driver looks up in its own way. */
export const auditConditions = (filter: AuditFilter): readonly AuditCondition[] =>
  FIELDS.flatMap(([field, sql]) => {
    const value = filter[field];
    if (value === undefined) return [];
    return [{ sql, value: typeof value === 'string' ? toSqlText(value) : value }];
  });
