/**
 * Checks whether a tool would work if it were called now. Each check has a time limit; one that throws
 * or does not answer counts as broken.
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

const MAX_CALLS = 100;

export interface ToolRecord {
  /** When it was last called, refused calls included; absent when it never was. */
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

/** Types of errors that say something about the tool; the others are about the caller or the input. */
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

/** Reads how the last calls went. `tool` is its name, not an alias: rows are written under it. */
const readToolRecord = async (
  audit: Pick<AuditLog, 'query'>,
  tool: string,
): Promise<ToolRecord> => {
  const rows = await audit.query({ tool, kind: 'outcome', limit: MAX_CALLS });
  const telling = rows.filter((row) => isRest(row) || isFault(row) || isSuccess(row));
  const ran = telling.filter((row) => !isRest(row));
  const lastSuccess = telling.findIndex(isSuccess);
  const sinceSuccess = lastSuccess < 0 ? telling : telling.slice(0, lastSuccess);
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

export interface ToolHealth {
  readonly tool: string;
  readonly source: Tool['source'];
  /** `limited` when something optional is missing, `unwell` when a call would fail. */
  readonly state: 'well' | 'limited' | 'unwell';
  /** All checks, also those that found nothing. */
  readonly checks: readonly Check[];
  /** Absent when the record cannot be read. */
  readonly record?: ToolRecord;
}

const ownCheck = async (tool: Tool, deps: HealthDeps): Promise<readonly Check[]> => {
  if (!tool.healthCheck) return [];
  const name = 'own check';
  // The tool's own code answers: only a plain `true` counts.
  const answer: unknown = await within(
    deps.runtime,
    deps.timeoutMs,
    async () => await tool.healthCheck?.(),
  );
  const { healthy, message } = (answer ?? {}) as { healthy?: unknown; message?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : undefined;
  return healthy === true
    ? [ok(name, text ?? 'It says it is well')]
    : [broken(name, text ?? 'It says it is not well')];
};

/** Judges the circuit by the record: the breaker itself is in the process that calls. */
const circuitCheck = (
  { breaker: own }: Tool,
  { failedInARow, lastCode, restedAt }: ToolRecord,
  { breaker: byDefault, runtime }: HealthDeps,
): readonly Check[] => {
  const rule = own ?? byDefault;
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

const CHECKS = [['own check', ownCheck], ...REACH_CHECKS] as const;

/** Runs all checks; one that throws counts as broken. */
const runChecks = async (entry: CatalogEntry, deps: HealthDeps): Promise<readonly Check[]> => {
  const results = await Promise.all(
    CHECKS.map(async ([name, check]) => {
      try {
        return await check(entry.tool, deps);
      } catch (error) {
        return [broken(name, reasonOf(error), adviceOf(error))];
      }
    }),
  );
  return results.flat();
};

const stateOf = (checks: readonly Check[]): ToolHealth['state'] => {
  if (checks.some(({ state }) => state === 'broken')) return 'unwell';
  return checks.some(({ state }) => state === 'warning') ? 'limited' : 'well';
};

/** Checks one tool. Never rejects. The code of a tool in quarantine is not run. */
export const toolHealth = async (entry: CatalogEntry, deps: HealthDeps): Promise<ToolHealth> => {
  const { tool, quarantine } = entry;
  const { name, source } = tool;
  const record = deps.audit && (await readToolRecord(deps.audit, name).catch(() => undefined));
  const checks = [
    ...switchCheck(entry),
    ...(quarantine ? [] : await runChecks(entry, deps)),
    ...(record ? circuitCheck(tool, record, deps) : []),
  ];
  return { tool: name, source, state: stateOf(checks), checks, ...(record && { record }) };
};
