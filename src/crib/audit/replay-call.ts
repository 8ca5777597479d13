/** Judges a recorded call by today's tools, rules, limits and budgets. Runs nothing. */
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import type { CallAs } from '../../contract/call-options.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { isReservedName } from '../../contract/define-tool.ts';
import type { CallReplay, ReplayedNow, ReplayOptions } from '../../contract/replay.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import type { CallPreview } from '../../pipeline/call-preview.ts';
import type { Rehearsal } from '../../pipeline/rehearse.ts';
import {
  callerOf,
  inputOf,
  provenNamesOf,
  type RecordedInput,
  readInput,
} from './recorded-call.ts';
import { recordedEnd } from './recorded-end.ts';
import { compareLines, verdictOf } from './replay-lines.ts';

export interface ReplayCallDeps {
  readonly audit: Pick<AuditLog, 'query'>;
  readonly engine: { readonly preview: Pick<CallPreview, 'rehearse'> };
  now(): number;
  /** Tells whether a server or source has not listed its tools yet: they may still exist. */
  isUnanswered(source: string): boolean;
}

const WHY_MISSING: Readonly<Record<NonNullable<RecordedInput['missing']>, string>> = {
  shortened: 'The record has only the beginning of the input: what depends on it is not judged.',
  unvalidated:
    'The input did not fit the schema and was not kept: what depends on it is not judged.',
  absent: 'The record has no input: what depends on it is not judged.',
};

/** Tells whether the input was refused only for marks that replace redacted values. */
const isRefusedForMarks = ({ result, stage }: Rehearsal, redacted: readonly string[]): boolean => {
  if (stage !== 'validateInput' || result.success || redacted.length === 0) return false;
  const issues = result.error?.issues ?? [];
  const pointers = issues.map(({ path }) => path.map((part) => `/${String(part)}`).join(''));
  return pointers.every((pointer) => redacted.some((mark) => mark.startsWith(pointer)));
};

const UNKNOWN: ReplayedNow = { outcome: 'unknown' };

const refusedBy = ({ result, stage, version }: Rehearsal): ReplayedNow => ({
  outcome: 'refuse',
  ...(stage !== undefined && { stage }),
  ...(result.error && { code: result.error.code, message: result.error.message }),
  ...(stage === 'authorize' && { decision: 'deny' as const }),
  ...(version !== undefined && { version }),
});

const passedAs = ({ result, version }: Rehearsal): ReplayedNow => {
  if (!result.success) return UNKNOWN;
  const { verdict, rule, reason, estimate } = result.data;
  const { costMicros, mostMicros } = estimate;
  return {
    outcome: verdict === 'ask' ? 'ask' : 'run',
    decision: verdict,
    rule,
    reason,
    ...(version !== undefined && { version }),
    estimatedUsd: costMicros / MICROS_PER_USD,
    ...(mostMicros !== undefined && { maxUsd: mostMicros / MICROS_PER_USD }),
  };
};

interface Recorded extends RecordedInput {
  readonly row: AuditRow;
}

/** Returns how the call would end now, as far as the recorded input allows to say. */
const presentOf = (rehearsal: Rehearsal, { missing, redacted }: Recorded): ReplayedNow => {
  if (rehearsal.result.success) return passedAs(rehearsal);
  const isAboutInput = missing !== undefined && rehearsal.stage !== 'resolve';
  if (!isAboutInput && !isRefusedForMarks(rehearsal, redacted)) return refusedBy(rehearsal);
  const { version } = rehearsal;
  return { ...UNKNOWN, ...(version !== undefined && { version }) };
};

const notesOn = (recorded: Recorded, options: ReplayOptions, unchecked: readonly string[]) => {
  const { row, missing, redacted } = recorded;
  const isOwner = row.userId === LOCAL_CALLER.userId;
  return [
    ...(missing ? [WHY_MISSING[missing]] : []),
    ...(redacted.length > 0
      ? [`Judged with [REDACTED] in place of what the record hides: ${redacted.join(', ')}.`]
      : []),
    ...(isOwner || options.roles
      ? []
      : [
          'Roles, permissions and the list of tools of the caller are not on record: judged without roles and with all permissions.',
        ]),
    ...(unchecked.length > 0
      ? [`Not checked, because that takes code of the tool: ${unchecked.join('; ')}.`]
      : []),
    ...(typeof row.detail.parent === 'string'
      ? ['Another call made this one; it is judged as if it came by itself.']
      : []),
    ...(row.detail.dryRun === true ? ['The recorded call was a dry run.'] : []),
    ...(typeof row.detail.idempotencyKey === 'string'
      ? ['Its idempotency key is left out: the same call again would get the stored result.']
      : []),
    ...(row.status === 'failure' || row.status === 'timeout'
      ? ['The tool failed. Whether it would fail again shows only when it is run.']
      : []),
    'Data that the session has seen counts as of now.',
  ];
};

/** Rebuilds the caller, as far as it is on record. With roles come their permissions. */
const callAsOf = (row: AuditRow, { roles }: ReplayOptions): CallAs => {
  const authenticated = provenNamesOf(row);
  return {
    ...callerOf(row),
    ...(authenticated && { authenticated }),
    ...(roles && { roles, ...(!roles.includes('owner') && { permissions: [] }) }),
  };
};

/** Returns why a call cannot be judged at all; `undefined` when it can. */
const unjudgeable = (row: AuditRow, { isUnanswered }: ReplayCallDeps): string | undefined => {
  if (isReservedName(row.tool)) return 'Toolcrib itself made the call, not a tool of this name.';
  const { source } = row.detail;
  if (typeof source !== 'string' || !isUnanswered(source)) return undefined;
  return `The tools of ${source} are not known: it is not connected.`;
};

const judge = async (recorded: Recorded, deps: ReplayCallDeps, options: ReplayOptions) => {
  const { row, input } = recorded;
  const why = unjudgeable(row, deps);
  if (why !== undefined) return { now: UNKNOWN, notes: [why] };
  const rehearsal = await deps.engine.preview.rehearse(row.tool, input, callAsOf(row, options));
  const notes = notesOn(recorded, options, rehearsal.unchecked);
  return { now: presentOf(rehearsal, recorded), rehearsal, notes };
};

export const replayCall = async (
  row: AuditRow,
  deps: ReplayCallDeps,
  options: ReplayOptions = {},
): Promise<CallReplay> => {
  const recorded = { row, ...readInput(await inputOf(deps.audit, row)) };
  const { stop, before } = recordedEnd(row, !('input' in row.detail));
  const { now, rehearsal, notes } = await judge(recorded, deps, options);
  const lines = compareLines({ row, before, stop, now, recorded, rehearsal });
  const { executionId, tool, userId, agentId, sessionId, at } = row;
  const caller = { userId, agentId, sessionId };
  const judgedAt = deps.now();
  const { redacted } = recorded;
  const verdict = verdictOf(lines);
  return { executionId, tool, caller, at, judgedAt, verdict, before, now, lines, redacted, notes };
};
