/**
 * Records every call, refused ones too, and turns every throw into a result. It is the outermost stage.
 * A result whose row cannot be written is withheld.
 */
import type { AuditEntry, AuditLog, Durability } from '../../contract/audit.ts';
import type { Call, CallRequest, Next } from '../../contract/call.ts';
import type { WriteRecords } from '../../contract/call-options.ts';
import { toolError } from '../../contract/errors.ts';
import type { Events, MeasuredCall } from '../../contract/events.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { MemoryStore } from '../../contract/store.ts';
import type { SessionLabels } from '../../governance/labels/session-labels.ts';
import { MICROS_PER_USD } from '../../governance/ledger/estimate-cost.ts';
import { clearWorkingMemory } from '../../governance/memory.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { thrownText, thrownTrace } from '../../kit/data/reason-of.ts';
import type { Contexts } from '../broker/context.ts';
import { usageOf } from '../broker/note-usage.ts';
import { endWork } from '../broker/work-signal.ts';
import type { Budgeting } from '../budget/budgeting.ts';
import { purseOf } from '../budget/purse.ts';
import { type EndLateDeps, endLateInner, hasInner } from '../inner-runs.ts';
import { failedWith, NO_RESOURCES } from '../outcome.ts';
import { evidenceOf } from '../pipeline.ts';
import { asToolError, redactError } from '../record/as-tool-error.ts';
import { auditEntry, summaryOfCall } from '../record/audit-entry.ts';
import type { LateWrites } from '../record/late-writes.ts';
import { staysInside } from '../record/run-records.ts';
import type { RunningCalls } from '../record/running-calls.ts';

export interface UsageNotes {
  note(tool: string, at: number, durationMs: number): void;
}

export interface RecordDeps extends Pick<EndLateDeps, 'settingsOf'> {
  readonly budgeting: Budgeting;
  readonly usage: UsageNotes;
  readonly audit: Pick<AuditLog, 'append' | 'query'>;
  readonly late: Pick<LateWrites, 'add'>;
  readonly running: RunningCalls;
  readonly runtime: Runtime;
  readonly redactor: Redactor;
  readonly contexts: Contexts;
  /** The memory of call chains; cleared when a chain is over. */
  readonly working: MemoryStore;
  readonly events: Events;
  readonly labels: SessionLabels;
  readonly policy: Pick<Policy, 'version'>;
}

/** Enough to tell one version of the rules from another. */
const VERSION_CHARS = 16;

interface RecordingDeps extends RecordDeps {
  readonly policyVersion: string;
  /** Writes the records that a run of a flow has gathered. */
  readonly writeGathered: WriteRecords;
}

/** Completes the metadata, and adds the warnings that the stages noted. */
const finish = (
  call: CallRequest,
  result: ToolResult,
  { runtime, redactor }: Pick<RecordDeps, 'runtime' | 'redactor'>,
): ToolResult => {
  const { metadata } = result;
  const { notes } = call;
  // The time that a person took to decide is not the call's.
  metadata.duration = Math.max(0, runtime.elapsed() - call.startedElapsed - notes.waitedMs);
  metadata.attempts = notes.attempts;
  metadata.cost = notes.costMicros / MICROS_PER_USD;
  metadata.tokensUsed = notes.tokens;
  metadata.cached = notes.cached;
  metadata.degraded = notes.degraded;
  const used = notes.resources ?? metadata.resourcesUsed;
  if (used !== NO_RESOURCES) {
    metadata.resourcesUsed = Array.from(used, (resource) => redactor.text(resource));
  }
  if (notes.cpuMs > 0) metadata.cpuMs = Math.round(notes.cpuMs);
  if (notes.peakMemoryBytes > 0) metadata.peakMemoryBytes = notes.peakMemoryBytes;
  if (!notes.warnings && !result.error) return result;
  const warnings = [...(result.warnings ?? []), ...(notes.warnings ?? [])];
  const noted = warnings.length > 0 && { warnings: warnings.map((one) => redactor.text(one)) };
  if (result.success) return { ...result, ...noted };
  return {
    ...result,
    error: redactError(result.error, redactor),
    // The name of a tool that is not there is whatever the caller sent.
    metadata: { ...metadata, toolName: redactor.text(metadata.toolName) },
    ...noted,
  };
};

const withhold = (call: CallRequest, deps: RecordDeps, error: unknown): ToolResult => {
  deps.runtime.log.error('audit row could not be written', { error: thrownText(error) });
  const inDoubt = call.notes.effectPossible;
  const refused = toolError(
    'STORE_UNAVAILABLE',
    inDoubt
      ? 'The tool ran, but its outcome could not be recorded: the call is in doubt.'
      : 'The outcome could not be recorded, so the result is withheld.',
    {
      suggestions: [inDoubt ? 'Check what happened before calling again.' : 'Free disk space.'],
      retryable: !inDoubt,
    },
  );
  return finish(call, failedWith(call, refused), deps);
};

const nameOf = (call: CallRequest, { metadata }: ToolResult): string =>
  evidenceOf(call).ready?.tool.name ?? metadata.toolName;

const measured = (call: CallRequest, result: ToolResult): MeasuredCall => {
  const { executionId, traceId, version, duration, cost, tokensUsed, attempts, cached } =
    result.metadata;
  return {
    executionId,
    traceId,
    tool: nameOf(call, result),
    version,
    userId: call.caller.userId,
    status: result.status,
    approvalId: result.approval?.approvalId,
    code: result.error?.code,
    durationMs: duration,
    costUsd: cost,
    tokens: tokensUsed,
    attempts,
    cached,
    usage: usageOf(call),
  };
};

/** Copies the result for its listeners, who could change it. */
const announce = (call: CallRequest, result: ToolResult, deps: RecordDeps): void => {
  const usage = usageOf(call);
  deps.events.emit('call.finished', {
    tool: nameOf(call, result),
    userId: call.caller.userId,
    summary: summaryOfCall(call, deps.redactor),
    result: ownCopy(result),
    ...(usage && { usage }),
  });
};

const isUnheld = (call: CallRequest): call is Call<'ready' | 'input' | 'grant'> =>
  evidenceOf(call).budget?.scopes.length === 0;

/** Logs a cost that the ledger missed; the row that follows has it. */
const logUnbooked =
  ({ runtime }: RecordDeps) =>
  (error: unknown): void =>
    runtime.log.error('a cost could not be booked', { error: thrownText(error) });

/** Books the cost of a call that held nothing before it ran. */
const book = (call: CallRequest, deps: RecordDeps): Promise<void> | undefined => {
  if (!isUnheld(call)) return undefined;
  const purse = purseOf(call);
  if (purse) return deps.budgeting.bookUnheld(call, purse).catch(logUnbooked(deps));
  deps.budgeting.countFree(call);
  return undefined;
};

/** Puts the labels of the data on record before the caller sees it: later calls are judged by them. */
const label = (
  call: CallRequest,
  result: ToolResult,
  deps: RecordDeps,
): Promise<void> | undefined => {
  const hasRun = result.success || call.notes.attempts > 0;
  return hasRun ? deps.labels.absorb(call.caller, result.metadata.labels) : undefined;
};

/** Writes an outcome again that the store may have missed. */
const writeLate = async (entry: AuditEntry, { audit }: RecordDeps): Promise<void> => {
  const { executionId } = entry;
  const [row] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
  if (!row) await audit.append({ ...entry, detail: { ...entry.detail, late: true } }, 'synced');
};

const appendAll = (
  entries: readonly AuditEntry[],
  durability: Durability,
  { audit }: RecordDeps,
): Promise<unknown> => {
  const [first] = entries;
  if (first && entries.length === 1) return audit.append(first, durability);
  // Entries of one tick are one group, with one promise.
  return Promise.all(new Set(entries.map((entry) => audit.append(entry, durability))));
};

/** Writes outcomes that must not be lost, later if the store fails now. */
const writeOrRetry = async (
  entries: readonly AuditEntry[],
  durability: Durability,
  deps: RecordDeps,
): Promise<void> => {
  try {
    await appendAll(entries, durability, deps);
  } catch (error) {
    for (const entry of entries) deps.late.add(() => writeLate(entry, deps));
    throw error;
  }
};

/** Tells whether the row may be written later, with the steps of its run: only the flow has seen the result. */
const mayWait = (call: CallRequest, result: ToolResult): boolean => {
  const tool = evidenceOf(call).ready?.tool;
  return result.success && tool !== undefined && staysInside(tool);
};

/** Returns nothing where the record is written later, with the steps of a run. */
const write = (
  call: CallRequest,
  result: ToolResult,
  deps: RecordingDeps,
): Promise<void> | undefined => {
  const at = call.startedAt + Math.round(result.metadata.duration + call.notes.waitedMs);
  const { redactor, policyVersion: policy } = deps;
  const entry = auditEntry('outcome', call, { result, redactor, at, policy });
  if (call.notes.effectPossible) return writeOrRetry([entry], 'synced', deps);
  const { runRecords } = call.options;
  if (runRecords && mayWait(call, result)) {
    return runRecords.add(entry, deps.writeGathered);
  }
  // Where nothing was changed, withholding the result is enough: nobody has seen it.
  return deps.audit.append(entry, 'written');
};

/** Frees what the call held while it ran. */
const leave = (
  call: CallRequest,
  result: ToolResult,
  deps: RecordDeps,
): Promise<void> | undefined => {
  deps.running.remove(call);
  const { toolName, duration } = result.metadata;
  // Names of tools that are not there come from callers and would fill the memory.
  if (evidenceOf(call).ready) deps.usage.note(toolName, call.startedAt, duration);
  if (call.parent || !deps.contexts.usedMemory(call)) return undefined;
  return clearWorkingMemory(call, deps.working);
};

/** Answers a call whose outcome could not be handled, and records it if that was not done. */
const giveUp = async (call: CallRequest, error: unknown, deps: RecordDeps): Promise<ToolResult> => {
  const { executionId } = call;
  const { runtime, redactor, running, audit } = deps;
  runtime.log.error('internal error', { executionId, error: thrownTrace(error) });
  const result = failedWith(call, toolError('INTERNAL'));
  if (!running.has(call)) return result;
  running.remove(call);
  try {
    await audit.append(auditEntry('outcome', call, { result, redactor, at: runtime.now() }));
  } catch {
    // The log has the first error; the store has refused a second time.
  }
  return result;
};

const announceStart = (call: CallRequest, { redactor, events }: RecordDeps): void => {
  if (!events.has('call.started')) return;
  const tool = redactor.text(call.toolName);
  const { executionId, caller } = call;
  events.emit('call.started', { executionId, tool, userId: caller.userId });
};

/** Runs the call, then books, labels, writes and announces it. Awaits only where there is something to wait for. */
const recordCall = async (
  call: CallRequest,
  next: Next<CallRequest>,
  deps: RecordingDeps,
): Promise<ToolResult> => {
  let raw: ToolResult;
  try {
    announceStart(call, deps);
    raw = await next(call);
  } catch (error) {
    raw = failedWith(call, asToolError(error, call, deps));
  }
  if (hasInner(call)) await endLateInner(call, !raw.success, deps);
  call.notes.ended = true;
  if (call.notes.work) endWork(call);
  try {
    const booking = book(call, deps);
    if (booking) await booking;
    let result = finish(call, raw, deps);
    try {
      const labelling = label(call, result, deps);
      if (labelling) await labelling;
    } catch (error) {
      result = withhold(call, deps, error);
    }
    try {
      const writing = write(call, result, deps);
      if (writing) await writing;
    } catch (error) {
      result = withhold(call, deps, error);
    }
    const leaving = leave(call, result, deps);
    if (leaving) await leaving;
    const { events } = deps;
    if (events.has('call.measured')) events.emit('call.measured', measured(call, result));
    if (events.has('call.finished')) announce(call, result, deps);
    return result;
  } catch (error) {
    return giveUp(call, error, deps);
  }
};

export const record = (deps: RecordDeps): Stage<never> => {
  const policyVersion = deps.policy.version.slice(0, VERSION_CHARS);
  const writeGathered: WriteRecords = (entries) => writeOrRetry(entries, 'written', deps);
  const recording: RecordingDeps = { ...deps, policyVersion, writeGathered };
  return function record(call, next) {
    recording.running.add(call);
    return recordCall(call, next, recording);
  };
};
