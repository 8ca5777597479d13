/**
 * Whether a tool would work if it were called now. Each check looks for itself, in bounded time; one
 * that throws or does not answer has found the tool unwell.
 */

import type { AuditLog, AuditRow } from '../../../contract/audit.ts';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import { ERRORS, type ErrorCode, type ErrorType } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { counted, formatSpan } from '../../output/format-units.ts';
import type { HealthDeps } from './health-deps.ts';
import type { Check } from './machine-checks.ts';
import { adviceOf, broken, ok, REACH_CHECKS } from './reach-checks.ts';
import { within } from './within.ts';

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
const readToolRecord = async (
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

export interface ToolHealth {
  readonly tool: string;
  readonly source: Tool['source'];
  /** `well`, `limited` where something optional lacks, `unwell` where a call would fail. */
  readonly state: 'well' | 'limited' | 'unwell';
  /** Everything that was looked at, also what is fine. */
  readonly checks: readonly Check[];
  /** Absent when the record cannot be read. */
  readonly record?: ToolRecord;
}

const ownCheck = async (tool: Tool, deps: HealthDeps): Promise<readonly Check[]> => {
  if (!tool.healthCheck) return [];
  const name = 'own check';
  // Asked of code that anybody may have written: only a plain yes is one.
  const found: unknown = await within(
    deps.runtime,
    deps.timeoutMs,
    async () => await tool.healthCheck?.(),
  );
  const { healthy, message } = (found ?? {}) as { healthy?: unknown; message?: unknown };
  const said = typeof message === 'string' && message !== '' ? message : undefined;
  return healthy === true
    ? [ok(name, said ?? 'It says it is well')]
    : [broken(name, said ?? 'It says it is not well')];
};

/** A circuit is kept by the process that calls; others learn of it by what is on record. */
const circuitCheck = (
  { breaker: own }: Tool,
  { failedInARow, lastCode, restedAt }: ToolRecord,
  { breaker: usual, runtime }: HealthDeps,
): readonly Check[] => {
  const rule = own ?? usual;
  if (!rule) return [];
  const left = restedAt === undefined ? 0 : restedAt + rule.restMs - runtime.now();
  const failed = `its last ${counted(failedInARow, 'call')} failed${lastCode === undefined ? '' : ` (${lastCode})`}`;
  const fix = 'See why: toolcrib audit --status failure';
  if (left > 0) {
    return [broken('circuit', `It rests for up to ${formatSpan(left)} more: ${failed}`, fix)];
  }
  return failedInARow >= rule.failures
    ? [{ name: 'circuit', state: 'warning', message: failed.replace(/^i/, 'I'), fix }]
    : [ok('circuit', 'Closed')];
};

const switchCheck = ({ enabled, quarantine, tool }: CatalogEntry): readonly Check[] => {
  const { name } = tool;
  if (quarantine) {
    const fix = `Look at it and let it out with: toolcrib tools accept ${name}`;
    return [broken('lock', `In quarantine: ${quarantine.reason}`, fix)];
  }
  return enabled
    ? []
    : [broken('switch', 'It is switched off', `Switch it on: toolcrib tools enable ${name}`)];
};

const LOOKS = [['own check', ownCheck], ...REACH_CHECKS] as const;

/** What cannot be looked at has not been found well. */
const looked = async (entry: CatalogEntry, deps: HealthDeps): Promise<readonly Check[]> => {
  const found = await Promise.all(
    LOOKS.map(async ([name, look]) => {
      try {
        return await look(entry.tool, deps);
      } catch (error) {
        return [broken(name, reasonOf(error), adviceOf(error))];
      }
    }),
  );
  return found.flat();
};

const stateOf = (checks: readonly Check[]): ToolHealth['state'] => {
  if (checks.some(({ state }) => state === 'broken')) return 'unwell';
  return checks.some(({ state }) => state === 'warning') ? 'limited' : 'well';
};

/** Never rejects. A tool that is not let in is not asked anything: its code is nobody's yet. */
export const toolHealth = async (entry: CatalogEntry, deps: HealthDeps): Promise<ToolHealth> => {
  const { tool, quarantine } = entry;
  const { name, source } = tool;
  const record = deps.audit && (await readToolRecord(deps.audit, name).catch(() => undefined));
  const checks = [
    ...switchCheck(entry),
    ...(quarantine ? [] : await looked(entry, deps)),
    ...(record ? circuitCheck(tool, record, deps) : []),
  ];
  return { tool: name, source, state: stateOf(checks), checks, ...(record && { record }) };
};
