/**
 * Records every call, refused ones too, and turns every throw into a result. It is the outermost stage.
 * A result whose row cannot be written is withheld.
 */
import type { Call, CallRequest, Next } from '../../contract/call.ts';
import { toolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import type { SessionLabels } from '../../governance/labels/session-labels.ts';
import { clearWorkingMemory } from '../../governance/memory.ts';
import { thrownText, thrownTrace } from '../../kit/data/reason-of.ts';
import type { Contexts } from '../broker/context.ts';
import { endWork } from '../broker/work-signal.ts';
import type { Budgeting } from '../budget/budgeting.ts';
import { purseOf } from '../budget/purse.ts';
import { type EndLateDeps, endLateInner, hasInner } from '../inner-runs.ts';
import { failedWith, NO_RESOURCES } from '../outcome.ts';
import { evidenceOf } from '../pipeline.ts';
import { type AnnounceDeps, announceEnd, announceStart } from '../record/announce-call.ts';
import { asToolError, redactError } from '../record/as-tool-error.ts';
import { auditEntry } from '../record/audit-entry.ts';
import { OutcomeRows, type OutcomeRowsDeps } from '../record/outcome-rows.ts';
import type { RunningCalls } from '../record/running-calls.ts';

export interface UsageNotes {
  note(tool: string, at: number, durationMs: number): void;
}

export interface RecordDeps extends OutcomeRowsDeps, AnnounceDeps, Pick<EndLateDeps, 'settingsOf'> {
  readonly budgeting: Budgeting;
  readonly usage: UsageNotes;
  readonly running: RunningCalls;
  readonly runtime: Runtime;
  readonly contexts: Contexts;
  /** The memory of call chains; cleared when a chain is over. */
  readonly working: MemoryStore;
  readonly labels: SessionLabels;
}

interface Recording extends RecordDeps {
  readonly rows: OutcomeRows;
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

/** Tells whether the same call gets its result later: under its key it runs once. */
const hasKey = ({ options }: CallRequest): boolean => options.idempotencyKey !== undefined;

/** Says how to go on after a call whose result is withheld. */
const adviceFor = (call: CallRequest): string => {
  if (hasKey(call)) return 'Send the same call again with its key for its result.';
  return call.notes.effectPossible
    ? 'Check what happened before calling again.'
    : 'Free disk space.';
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
      suggestions: [adviceFor(call)],
      retryable: !inDoubt,
      ...(hasKey(call) && { keyHeld: true }),
    },
  );
  return finish(call, failedWith(call, refused), deps);
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

/** Frees what the call held while it ran. */
const free = (
  call: CallRequest,
  result: ToolResult,
  deps: Recording,
): Promise<void> | undefined => {
  deps.running.remove(call);
  const { toolName, duration } = result.metadata;
  // Names of tools that are not there come from callers and would fill the memory.
  if (evidenceOf(call).ready) deps.usage.note(toolName, call.startedAt, duration);
  if (call.parent || !deps.contexts.usedMemory(call)) return undefined;
  return clearWorkingMemory(call, deps.working);
};

/*
 * The steps after the tool, the last one first: `bookAndWrite`, `labelAndWrite`, `writeRow`, `leave`. Each
 * hands on at once where there is nothing to wait for, as with most calls: one async function that
 * awaits each step costs a call 5 % of its time.
 */

const leave = (
  call: CallRequest,
  result: ToolResult,
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  const freeing = free(call, result, deps);
  if (freeing) return freeing.then(() => announced(call, result, deps));
  return announced(call, result, deps);
};

const announced = (call: CallRequest, result: ToolResult, deps: Recording): ToolResult => {
  announceEnd(call, result, deps);
  return result;
};

/** Withholds the result of a call whose row could not be written now. */
const leaveWithheld = (
  call: CallRequest,
  { result, error }: { readonly result: ToolResult; readonly error: unknown },
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  deps.rows.writeLater(call, result);
  return leave(call, withhold(call, deps, error), deps);
};

const writeRow = (
  call: CallRequest,
  result: ToolResult,
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  let writing: Promise<void> | undefined;
  try {
    writing = deps.rows.write(call, result);
  } catch (error) {
    return leaveWithheld(call, { result, error }, deps);
  }
  if (!writing) return leave(call, result, deps);
  return writing.then(
    () => leave(call, result, deps),
    (error: unknown) => leaveWithheld(call, { result, error }, deps),
  );
};

/** Puts the labels of the data on record before the caller sees it: later calls are judged by them. */
const labelAndWrite = (
  call: CallRequest,
  raw: ToolResult,
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  const result = finish(call, raw, deps);
  const hasRun = result.success || call.notes.attempts > 0;
  const labelling = hasRun && deps.labels.absorb(call.caller, result.metadata.labels);
  if (!labelling) return writeRow(call, result, deps);
  return labelling.then(
    () => writeRow(call, result, deps),
    (error: unknown) => writeRow(call, withhold(call, deps, error), deps),
  );
};

/** Ends the calls that a call left behind, then books it. */
const afterInner = async (
  call: CallRequest,
  raw: ToolResult,
  deps: Recording,
): Promise<ToolResult> => {
  await endLateInner(call, !raw.success, deps);
  return bookAndWrite(call, raw, deps);
};

const bookAndWrite = (
  call: CallRequest,
  raw: ToolResult,
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  call.notes.ended = true;
  if (call.notes.work) endWork(call);
  const booking = book(call, deps);
  return booking
    ? booking.then(() => labelAndWrite(call, raw, deps))
    : labelAndWrite(call, raw, deps);
};

const conclude = (
  call: CallRequest,
  raw: ToolResult,
  deps: Recording,
): ToolResult | Promise<ToolResult> => {
  try {
    const done = hasInner(call) ? afterInner(call, raw, deps) : bookAndWrite(call, raw, deps);
    if (!(done instanceof Promise)) return done;
    return done.catch((error: unknown) => giveUp(call, error, deps));
  } catch (error) {
    return giveUp(call, error, deps);
  }
};

/** Starts the call; turns a throw of the next stage into a rejection. */
const start = (
  call: CallRequest,
  next: Next<CallRequest>,
  deps: Recording,
): Promise<ToolResult> => {
  deps.running.add(call);
  try {
    announceStart(call, deps);
    return next(call);
  } catch (error) {
    return Promise.reject(error);
  }
};

export const record = (deps: RecordDeps): Stage<never> => {
  const recording: Recording = { ...deps, rows: new OutcomeRows(deps) };
  return function record(call, next) {
    return start(call, next, recording).then(
      (raw) => conclude(call, raw, recording),
      (error: unknown) =>
        conclude(call, failedWith(call, asToolError(error, call, recording)), recording),
    );
  };
};
