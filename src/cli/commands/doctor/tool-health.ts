/**
 * Whether a tool would work if it were called now. Each check looks for itself, in bounded time; one
 * that throws or does not answer has found the tool unwell.
 */
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Tool } from '../../../contract/tool.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { formatSpan } from '../../output/format-span.ts';
import { counted } from '../../output/format-units.ts';
import type { Check } from './doctor-checks.ts';
import type { HealthDeps } from './health-deps.ts';
import { adviceOf, broken, ok, REACH_CHECKS } from './reach-checks.ts';
import { readToolRecord, type ToolRecord } from './tool-record.ts';
import { within } from './within.ts';

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
