/**
 * Runs the tool. No other stage calls `run`, so this one asks for the proof of every gate. Where
 * there can be a side effect, the intent is on disk before the tool starts.
 */
import type { AuditLog, IntentClaim } from '../../contract/audit.ts';
import type { AdmittedCall, CallRequest } from '../../contract/call.ts';
import type { DryRunReport } from '../../contract/crib.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { FinalStage } from '../../contract/stage.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { failed, failedWith, succeeded } from '../outcome.ts';
import { auditEntry } from '../record/audit-entry.ts';
import { untilAborted } from '../recovery/until-aborted.ts';
import { errorOf, runTool, type ToolRunDeps } from '../tool-run.ts';

export interface ExecuteDeps extends ToolRunDeps {
  readonly audit: Pick<AuditLog, 'intend'>;
}

/** Says what would become of a call that has passed every gate. */
export const dryRunReport = (call: AdmittedCall): DryRunReport => ({
  verdict: call.grant.ask ? 'ask' : 'allow',
  rule: call.grant.rule,
  reason: call.grant.reason,
  estimate: call.budget.estimate,
  approvalsNeeded: call.grant.ask ? 1 : 0,
  effects: (call.ready.tool.effects ?? []).map(({ description }) => description),
  preconditions: call.preconditions,
  inspected: call.inspected,
});

/** Lists the calls that made this one and have no intent on record, the outermost first. */
const parentsWithoutIntent = (call: CallRequest): readonly CallRequest[] => {
  const parents: CallRequest[] = [];
  for (let up = call.parent; up; up = up.parent) {
    if (!up.notes.intentRecorded && !up.notes.innerIntent) parents.unshift(up);
  }
  return parents;
};

/** Lists the idempotency keys that this call runs under: its own and those of the calls that made it. */
const claimsOf = (call: CallRequest): readonly IntentClaim[] => {
  const claims: IntentClaim[] = [];
  for (let up: CallRequest | undefined = call; up; up = up.parent) {
    const { notes, executionId } = up;
    if (notes.claim !== undefined) claims.push({ key: notes.claim, executionId });
  }
  return claims;
};

/**
 * Writes the intent, and that of every call that made this one: making one of them again, by its key or by a
 * retry, could repeat this effect.
 */
const writeIntents = (
  call: AdmittedCall,
  { audit, redactor, runtime }: ExecuteDeps,
): Promise<void> => {
  const facts = { redactor, at: runtime.now() };
  const own = auditEntry('intent', call, facts);
  call.notes.intentTried = true;
  if (!call.parent) return audit.intend([own], claimsOf(call));
  const parents = parentsWithoutIntent(call);
  for (const { notes } of parents) notes.intentTried = true;
  const entries = parents.map((each) => auditEntry('intent', each, facts));
  return inParents(call, audit.intend([...entries, own], claimsOf(call)));
};

/** Lets every call that made this one wait for the intents: its own outcome must not come before them. */
const inParents = async (call: CallRequest, writing: Promise<void>): Promise<void> => {
  const waiting: Set<Promise<unknown>>[] = [];
  for (let up = call.parent; up; up = up.parent) {
    up.notes.innerIntents ??= new Set();
    waiting.push(up.notes.innerIntents.add(writing));
  }
  try {
    await writing;
  } finally {
    for (const intents of waiting) intents.delete(writing);
  }
};

/** Tells every call that made this one that it may have changed something through it. */
const noteInParents = (call: CallRequest): void => {
  for (let inner = call; inner.parent; inner = inner.parent) {
    const { notes } = inner.parent;
    notes.innerIntent = true;
    notes.effectPossible = true;
    notes.innerCalls ??= new Set();
    notes.innerCalls.add(inner.executionId);
  }
};

/** Waits for a tool that is being initialized. Returns the refusal of a call that cannot run. */
const initialized = async (
  call: AdmittedCall,
  initializing: Promise<void>,
  deps: ExecuteDeps,
): Promise<ToolResult | undefined> => {
  try {
    await untilAborted(initializing, call.control);
    return undefined;
  } catch (error) {
    return failedWith(call, errorOf(error, call, deps));
  }
};

/** Tells whether a call need not wait for anything, as most that only read: that saves 0.3 µs. */
const isPrepared = (call: AdmittedCall): boolean =>
  call.grant.tier === 'read_only' && !call.ready.tool.initialize && !call.control.aborted;

/** Initializes the tool, records the intent, and runs the tool unless the call was aborted meanwhile. */
const prepareAndRun = async (call: AdmittedCall, deps: ExecuteDeps): Promise<ToolResult> => {
  const initializing = call.ready.initialize();
  const refusal = initializing && (await initialized(call, initializing, deps));
  if (refusal) return refusal;
  if (call.control.reason) return failed(call, call.control.reason);
  if (call.grant.tier !== 'read_only' && !call.notes.intentRecorded) {
    try {
      await writeIntents(call, deps);
    } catch (error) {
      // The store refuses an intent where another call has one of the keys by now.
      call.notes.isClaimLost = errorCodeOf(error) === 'CONFLICT';
      throw error;
    }
    call.notes.intentRecorded = true;
    noteInParents(call);
  }
  return call.control.reason ? failed(call, call.control.reason) : runTool(call, deps);
};

export const execute = (deps: ExecuteDeps): FinalStage =>
  function execute(call) {
    if (call.options.dryRun) return Promise.resolve(succeeded(call, dryRunReport(call)));
    const { sandbox, sandboxed } = call.ready.tool;
    if (sandbox && !sandboxed) {
      const refusal = failed(call, 'SANDBOX_ERROR', {
        message: `The tool asks for a ${sandbox.type} sandbox, but its code is part of this process.`,
        suggestions: ['Make it a custom tool: a file in .toolcrib/tools runs in a sandbox.'],
      });
      return Promise.resolve(refusal);
    }
    return isPrepared(call) ? runTool(call, deps) : prepareAndRun(call, deps);
  };
