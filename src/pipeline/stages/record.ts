/**
 * Outermost: every call leaves a row in the audit trail, refused ones too, and every throw becomes
 * a result. A result whose row cannot be written is withheld.
 */
import { type AuditEntry, type AuditLog, WRITTEN } from '../../contract/audit.ts';
import type { Call, CallRequest } from '../../contract/call.ts';
import { toolError } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
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
import type { Budgeting } from '../budget/budgeting.ts';
import { purseOf } from '../budget/purse.ts';
import { failedWith, NO_RESOURCES } from '../outcome.ts';
import { evidence, start } from '../pipeline.ts';
import { asToolError, redactError } from '../record/as-tool-error.ts';
import { auditEntry, summaryOfCall } from '../record/audit-entry.ts';
import type { LateWrites } from '../record/late-writes.ts';
import type { RunningCalls } from '../record/running-calls.ts';

export interface UsageNotes {
  note(tool: string, at: number, durationMs: number): void;
}

export interface RecordDeps {
  readonly budgeting: Budgeting;
  readonly usage: UsageNotes;
  readonly audit: Pick<AuditLog, 'append' | 'query'>;
  readonly late: Pick<LateWrites, 'add'>;
  readonly running: RunningCalls;
  readonly runtime: Runtime;
  readonly redactor: Redactor;
  readonly contexts: Contexts;
  /** The memory of call chains; a chain that is over lets go of its part. */
  readonly working: MemoryStore;
  readonly events: Events;
  readonly labels: SessionLabels;
}

/** Fills in what is known only now, and adds the warnings gathered on the way. */
const finish = (
  call: CallRequest,
  result: ToolResult,
  { runtime, redactor }: Pick<RecordDeps, 'runtime' | 'redactor'>,
): ToolResult => {
  const { metadata } = result;
  const { notes } = call;
  metadata.duration = runtime.elapsed() - call.startedElapsed;
  metadata.attempts = notes.attempts;
  metadata.cost = notes.costMicros / MICROS_PER_USD;
  metadata.tokensUsed = notes.tokens;
  metadata.cached = notes.cached;
  metadata.degraded = notes.degraded;
  const used = notes.resources ?? metadata.resourcesUsed;
  if (used !== NO_RESOURCES) {
    metadata.resourcesUsed = Array.from(used, (resource) => redactor.text(resource));
  }
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

/** A copy for listeners. Its data is copied when one looks at it: most count and do not look. */
const copyFor = (result: ToolResult): ToolResult => {
  if (typeof result.data !== 'object' || result.data === null) return ownCopy(result);
  const { data, ...rest } = result;
  let copy: unknown;
  const told = {
    ...ownCopy(rest),
    get data(): unknown {
      copy ??= ownCopy(data);
      return copy;
    },
  };
  return told as ToolResult;
};

const announce = (
  call: CallRequest,
  result: ToolResult,
  { events, redactor }: Pick<RecordDeps, 'events' | 'redactor'>,
): ToolResult => {
  if (!events.has('call.finished')) return result;
  const tool = evidence(call, 'ready')?.tool.name ?? result.metadata.toolName;
  const { userId } = call.caller;
  const summary = summaryOfCall(call, redactor);
  events.emit('call.finished', { tool, summary, userId, result: copyFor(result) });
  return result;
};

const isUnheld = (call: CallRequest): call is Call<'ready' | 'input' | 'grant'> =>
  evidence(call, 'budget')?.scopes.length === 0;

/** The row that follows tells the cost; that the ledger missed it is for the log. */
const whenUnbooked =
  ({ runtime }: RecordDeps) =>
  (error: unknown): void =>
    runtime.log.error('a cost could not be booked', { error: thrownText(error) });

type Outcome = ToolResult | Promise<ToolResult>;

// The steps on the way out, each calling the next. None is an async function: most calls have
// nothing to wait for in them, and would pay for the waiting all the same.

const book = (call: CallRequest, result: ToolResult, deps: RecordDeps): Outcome => {
  if (!isUnheld(call)) return label(call, result, deps);
  const purse = purseOf(call);
  if (purse) {
    const booked = deps.budgeting.bookUnheld(call, purse).catch(whenUnbooked(deps));
    return booked.then(() => label(call, result, deps));
  }
  deps.budgeting.countFree(call);
  return label(call, result, deps);
};

/** On record before the caller sees the data: what comes next is judged by it. */
const label = (call: CallRequest, raw: ToolResult, deps: RecordDeps): Outcome => {
  const result = finish(call, raw, deps);
  const hasRun = result.success || call.notes.attempts > 0;
  const labelled = hasRun && deps.labels.absorb(call.caller, result.metadata.labels);
  if (!labelled) return write(call, result, deps);
  return labelled.then(
    () => write(call, result, deps),
    (error: unknown) => write(call, withhold(call, deps, error), deps),
  );
};

/** Writes an outcome that the store has missed, unless it is there after all. */
const writeLate = async (entry: AuditEntry, { audit }: RecordDeps): Promise<void> => {
  const { executionId } = entry;
  const [known] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
  if (!known) await audit.append({ ...entry, detail: { ...entry.detail, late: true } }, 'synced');
};

const write = (call: CallRequest, result: ToolResult, deps: RecordDeps): Outcome => {
  const at = call.startedAt + Math.round(result.metadata.duration);
  const { redactor } = deps;
  let written: ReturnType<AuditLog['append']>;
  let entry: AuditEntry | undefined;
  const missed = (error: unknown): Outcome => {
    const lost = entry;
    // Others have changed nothing, and nobody was given what they found.
    if (lost && call.notes.effectPossible) deps.late.add(() => writeLate(lost, deps));
    return leave(call, withhold(call, deps, error), deps);
  };
  try {
    entry = auditEntry('outcome', call, { result, redactor, at });
    written = deps.audit.append(entry, call.notes.effectPossible ? 'synced' : 'written');
  } catch (error) {
    return missed(error);
  }
  if (written === WRITTEN) return leave(call, result, deps);
  return written.then(() => leave(call, result, deps), missed);
};

const leave = (call: CallRequest, result: ToolResult, deps: RecordDeps): Outcome => {
  deps.running.remove(call);
  const { toolName, duration } = result.metadata;
  deps.usage.note(toolName, call.startedAt, duration);
  if (call.parent || !deps.contexts.usedMemory(call)) return announce(call, result, deps);
  const cleared = clearWorkingMemory(call, deps.working);
  return cleared.then(() => announce(call, result, deps));
};

/** Takes the call off the list of those under way whatever happens, and records it if nothing did. */
const giveUp = (call: CallRequest, error: unknown, deps: RecordDeps): Outcome => {
  const { executionId } = call;
  deps.runtime.log.error('internal error', { executionId, error: thrownTrace(error) });
  const result = failedWith(call, toolError('INTERNAL'));
  if (!deps.running.has(call)) return result;
  const settled = (): ToolResult => {
    deps.running.remove(call);
    return result;
  };
  try {
    const { redactor, runtime } = deps;
    const entry = auditEntry('outcome', call, { result, redactor, at: runtime.now() });
    return deps.audit.append(entry).then(settled, settled);
  } catch {
    return settled();
  }
};

const conclude = (call: CallRequest, result: ToolResult, deps: RecordDeps): Outcome => {
  try {
    const outcome = book(call, result, deps);
    if (!(outcome instanceof Promise)) return outcome;
    return outcome.catch((error: unknown) => giveUp(call, error, deps));
  } catch (error) {
    return giveUp(call, error, deps);
  }
};

const announceStart = (call: CallRequest, { redactor, events }: RecordDeps): void => {
  if (!events.has('call.started')) return;
  const tool = redactor.text(call.toolName);
  const { executionId, caller } = call;
  events.emit('call.started', { executionId, tool, userId: caller.userId });
};

export const record = (deps: RecordDeps): Stage<never> =>
  function record(call, next) {
    deps.running.add(call);
    announceStart(call, deps);
    return start(call, next).then(
      (result) => conclude(call, result, deps),
      (error: unknown) => conclude(call, failedWith(call, asToolError(error, call, deps)), deps),
    );
  };
