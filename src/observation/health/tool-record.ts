/** Reads how the last calls of a tool went, and judges its circuit by that. */
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import { ERRORS, type ErrorType } from '../../contract/errors.ts';
import type { CircuitStatus, HealthCheck, ToolRecord } from '../../contract/health.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Breaker } from '../../contract/tool-limits.ts';
import { broken, ok, warning } from './findings.ts';

const MAX_CALLS = 100;

/** Types of errors that are faults of the tool; the others are about the caller or the input. */
const TOOL_FAULTS: ReadonlySet<ErrorType> = new Set([
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
  TOOL_FAULTS.has(ERRORS[code].type);

const isSuccess = ({ code, status }: AuditRow): boolean => code === '' && status === 'success';

/** Reads how the last calls went. `tool` must be its name, not an alias, because rows have the name. */
export const readToolRecord = async (
  audit: Pick<AuditLog, 'query'>,
  tool: string,
): Promise<ToolRecord> => {
  const rows = await audit.query({ tool, kind: 'outcome', limit: MAX_CALLS });
  const relevant = rows.filter((row) => isRest(row) || isFault(row) || isSuccess(row));
  const ran = relevant.filter((row) => !isRest(row));
  const lastSuccess = relevant.findIndex(isSuccess);
  const sinceSuccess = lastSuccess < 0 ? relevant : relevant.slice(0, lastSuccess);
  const faults = sinceSuccess.filter((row) => !isRest(row));
  const rest = sinceSuccess.find(isRest);
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

const SEE_WHY = 'See why: toolcrib audit --status failure';

const restingText = (left: number, why: string): string =>
  `It rests for up to ${Math.ceil(left / 1000)} s more: ${why}`;

/** Judges the circuit of this process; `undefined` when it is closed. */
const ownCircuit = (
  { state, failures, openUntil, server, callers }: CircuitStatus,
  now: number,
): HealthCheck | undefined => {
  if (state === 'closed') return undefined;
  const whose = server === undefined ? 'its calls' : `the calls of ${server}`;
  const why = `${failures} of ${whose} failed in a row`;
  if (callers !== undefined) {
    const text = `It rests for ${callers} of its callers: ${why}`;
    return warning('circuit', text, SEE_WHY);
  }
  return state === 'open'
    ? broken('circuit', restingText((openUntil ?? now) - now, why), SEE_WHY)
    : warning('circuit', `It has rested, and the next call tries it: ${why}`, SEE_WHY);
};

export interface CircuitFacts {
  /** Absent when the record cannot be read. */
  readonly record: ToolRecord | undefined;
  readonly circuit: CircuitStatus | undefined;
  /** The breaker of tools that declare none; absent where the configuration switches it off. */
  readonly breaker: Breaker | undefined;
  readonly now: number;
}

/** Judges the circuit by the calls of this process, else by the record, which has those of other processes. */
export const circuitCheck = (
  { breaker: own }: Tool,
  { record, circuit, breaker: byDefault, now }: CircuitFacts,
): readonly HealthCheck[] => {
  const rule = own ?? byDefault;
  if (!rule) return [];
  const here = circuit && ownCircuit(circuit, now);
  if (here) return [here];
  if (!record) return [];
  const { failedInARow, lastCode, restedAt } = record;
  const left = restedAt === undefined ? 0 : restedAt + rule.restMs - now;
  const calls = failedInARow === 1 ? 'last call' : `last ${failedInARow} calls`;
  const failed = `its ${calls} failed${lastCode === undefined ? '' : ` (${lastCode})`}`;
  if (left > 0) return [broken('circuit', restingText(left, failed), SEE_WHY)];
  return failedInARow >= rule.failures
    ? [warning('circuit', failed.replace(/^i/, 'I'), SEE_WHY)]
    : [ok('circuit', 'Closed')];
};
