/** What the record says about how a tool has fared lately. */
import type { AuditLog, AuditRow } from '../../../contract/audit.ts';
import { ERRORS, type ErrorCode, type ErrorType } from '../../../contract/errors.ts';

const CALLS = 100;

export interface ToolRecord {
  /** When it was last asked for, refused calls included; absent when it never was. */
  readonly lastUsedAt?: number;
  /** The calls that ran, of the last hundred. */
  readonly ran: number;
  /** The share of them that failed, 0 to 1; absent when none ran. */
  readonly errorRate?: number;
  /** How many failed since the last one that did not, and with which code. */
  readonly failedInARow: number;
  readonly lastCode?: ErrorCode;
  /** When a call was last refused because the tool rests; absent once one went through since. */
  readonly restedAt?: number;
}

/** These say something about the tool; the others are about the caller or the input. */
const ITS_FAULT: ReadonlySet<ErrorType> = new Set([
  'execution',
  'timeout',
  'network',
  'dependency',
]);

const isRest = ({ code }: AuditRow): boolean => code === 'CIRCUIT_OPEN';

const isFault = ({ code, status }: AuditRow): boolean =>
  code !== '' &&
  code !== 'CIRCUIT_OPEN' &&
  status !== 'cancelled' &&
  ITS_FAULT.has(ERRORS[code].type);

const isSuccess = ({ code, status }: AuditRow): boolean => code === '' && status === 'success';

/** The name is that of the tool, not an alias: rows are written under it. */
export const readToolRecord = async (
  audit: Pick<AuditLog, 'query'>,
  tool: string,
): Promise<ToolRecord> => {
  const rows = await audit.query({ tool, kind: 'outcome', limit: CALLS });
  const told = rows.filter((row) => isRest(row) || isFault(row) || isSuccess(row));
  const ran = told.filter((row) => !isRest(row));
  const wentWell = told.findIndex(isSuccess);
  const sinceThen = wentWell < 0 ? told : told.slice(0, wentWell);
  const faults = sinceThen.filter((row) => !isRest(row));
  const rest = sinceThen.find(isRest);
  const code = faults[0]?.code ?? '';
  return {
    ...(rows[0] && { lastUsedAt: rows[0].at }),
    ran: ran.length,
    ...(ran.length > 0 && { errorRate: ran.filter(isFault).length / ran.length }),
    failedInARow: faults.length,
    ...(code !== '' && { lastCode: code }),
    ...(rest && { restedAt: rest.at }),
  };
};
