/** Makes the entries that the audit trail keeps of calls. */
import type { AuditEntry, AuditKind } from '../../contract/audit.ts';
import type { CallRequest } from '../../contract/call.ts';
import { callSummary } from '../../contract/call-summary.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { plainObjects } from '../../kit/data/plain-objects.ts';
import { evidenceOf } from '../pipeline.ts';

/** Whether the side effect happened: what a person asks first after a crash or a timeout. */
export type EffectState = 'none' | 'done' | 'not_done' | 'unknown';

/** Longer inputs are cut to this: the trail is no second copy of all data. */
const MAX_INPUT_CHARS = 8192;

/** Tells whether a tool reaches brokered files only: without a write of the broker it changed nothing. */
const reachesOnlyFiles = (call: CallRequest): boolean => {
  const tool = evidenceOf(call).ready?.tool;
  // Code of others that still runs in this process may do what no broker sees.
  if (call.notes.stopped && tool?.source !== 'builtin' && !tool?.sandboxed) return false;
  const needs = tool?.needs;
  return needs?.paths !== undefined && !needs.hosts && !needs.commands;
};

/** Tells whether the trail has an intent of this call, its own or one for a call that it made. */
export const hasIntent = ({ notes }: CallRequest): boolean =>
  notes.intentRecorded || notes.innerIntent;

export const effectState = (call: CallRequest, result: ToolResult): EffectState => {
  const isBegun = hasIntent(call);
  if (result.success) return isBegun ? 'done' : 'none';
  if (!isBegun) return call.notes.intentTried ? 'not_done' : 'none';
  if (!call.notes.effectPossible) return 'not_done';
  // The tool itself had succeeded when one of these occurred.
  const code = result.error?.code;
  if (code === 'OUTPUT_INVALID' || code === 'EFFECT_FAILED') return 'done';
  const { writes, failedWrites, innerIntent } = call.notes;
  const hasWritten = writes > failedWrites;
  return !hasWritten && !innerIntent && reachesOnlyFiles(call) ? 'not_done' : 'unknown';
};

const shorten = (input: unknown): unknown => {
  if (typeof input !== 'object' || input === null) return input;
  const text = JSON.stringify(input);
  if (text.length <= MAX_INPUT_CHARS) return input;
  return { shortened: text.slice(0, MAX_INPUT_CHARS), characters: text.length };
};

/** Guesses cheaply whether an input could be long, so that short ones are not stringified. */
const maybeLong = (input: unknown): boolean => {
  if (typeof input !== 'object' || input === null) return false;
  let fields = 0;
  for (const key in input) {
    const value = (input as Record<string, unknown>)[key];
    if (++fields > 16 || (typeof value === 'object' && value !== null)) return true;
    if (typeof value === 'string' && value.length > 256) return true;
  }
  return false;
};

/** Redacts and shortens the input, once and before the tool runs: a tool may change its input. */
export const recordInput = (call: CallRequest, redactor: Redactor): unknown => {
  const { notes } = call;
  if (notes.recordedInput !== undefined) return notes.recordedInput;
  const valid = evidenceOf(call).input;
  // An input that was not validated may have any shape or size: only its type is kept.
  if (valid === undefined) return { unvalidated: typeof call.rawInput };
  const input = redactor.record(valid);
  notes.recordedInput = maybeLong(input) ? shorten(input) : input;
  return notes.recordedInput;
};

/** Describes the call in one line, once, by the input as the trail keeps it. */
export const summaryOfCall = (call: CallRequest, redactor: Redactor): string => {
  const { notes } = call;
  if (notes.summary !== undefined) return notes.summary;
  const tool = evidenceOf(call).ready?.tool.name ?? redactor.text(call.toolName);
  const approval = evidenceOf(call).approval;
  const targets = typeof approval === 'object' ? [...new Set(approval.targets)] : [];
  const summary = callSummary({
    tool,
    action: evidenceOf(call).grant?.capability?.action ?? tool,
    targets: targets.map((target) => redactor.text(target)),
    input: recordInput(call, redactor),
  });
  // Before there is a valid input there may still be a better line.
  if (evidenceOf(call).input !== undefined) notes.summary = summary;
  return summary;
};

/** Tells whether the summary of a call says more than its input: its action, or what it touches. */
const saysMore = (call: CallRequest): boolean => {
  const { grant, approval, ready } = evidenceOf(call);
  const action = grant?.capability?.action;
  const isNamed = action !== undefined && action !== ready?.tool.name;
  return isNamed || (typeof approval === 'object' && approval.targets.length > 0);
};

/** Tells whether the row needs a summary of its own. Readers make the one of a read-only call from its input. */
const needsSummary = (call: CallRequest, hasInput: boolean, { result }: Facts): boolean =>
  !hasInput || (!result?.success && saysMore(call));

interface Facts {
  readonly result?: ToolResult;
  /** The first characters of the policy version; recorded for a call that got as far as inspection. */
  readonly policy?: string;
  readonly redactor: Redactor;
  readonly at: number;
}

type Detail = Record<string, unknown>;

const detailOf = (kind: AuditKind, call: CallRequest, facts: Facts): Detail => {
  const { notes, options } = call;
  const grant = evidenceOf(call).grant;
  const rule = grant?.rule ?? '';
  // The intent of the same call has the input already.
  const hasInput = kind === 'intent' || !hasIntent(call);
  const detail: Detail = hasInput ? { rule, input: recordInput(call, facts.redactor) } : { rule };
  if (needsSummary(call, hasInput, facts)) detail.summary = summaryOfCall(call, facts.redactor);
  if (call.parent) detail.parent = call.parent.executionId;
  if (notes.decision) Object.assign(detail, notes.decision);
  if (options.idempotencyKey !== undefined) {
    detail.idempotencyKey = facts.redactor.text(options.idempotencyKey);
  }
  if (options.dryRun) detail.dryRun = true;
  const inspected = evidenceOf(call).inspected;
  if (inspected && inspected.length > 0) detail.inspected = inspected;
  if (kind === 'intent' || !facts.result) return detail;
  if (hasIntent(call) || notes.intentTried) detail.effect = effectState(call, facts.result);
  const tool = evidenceOf(call).ready?.tool;
  // Metrics are kept by source. Most calls are of built-in tools, whose source is left out.
  if (tool && tool.source !== 'builtin') detail.source = tool.server ?? tool.source;
  if (notes.waitedMs > 0) detail.waitedMs = Math.round(notes.waitedMs);
  if (notes.tokens > 0) detail.tokens = notes.tokens;
  if (notes.cpuMs > 0) detail.cpuMs = Math.round(notes.cpuMs);
  if (notes.peakMemoryBytes > 0) detail.peakMemoryBytes = notes.peakMemoryBytes;
  if (facts.policy !== undefined && inspected) detail.policy = facts.policy;
  if (notes.attempts > 1) detail.attempts = notes.attempts;
  if (notes.cached) detail.cached = true;
  if (notes.degraded) detail.degraded = true;
  if (notes.resources) {
    detail.resources = [...notes.resources].map((resource) => facts.redactor.text(resource));
  }
  if (facts.result.error?.cause) detail.cause = facts.result.error.cause;
  return detail;
};

const Entry = plainObjects<AuditEntry, [AuditKind, CallRequest, Facts]>(
  function (kind, call, facts) {
    const ready = evidenceOf(call).ready;
    const { result } = facts;
    this.kind = kind;
    this.executionId = call.executionId;
    this.at = facts.at;
    this.tool = ready ? ready.tool.name : facts.redactor.text(call.toolName).slice(0, 128);
    this.version = ready ? ready.tool.version : '';
    this.tier = evidenceOf(call).grant?.tier ?? ready?.tool.tier ?? '';
    this.userId = call.caller.userId;
    this.agentId = call.caller.agentId;
    this.sessionId = call.caller.sessionId;
    this.status = result ? result.status : 'started';
    this.code = result?.error?.code ?? '';
    this.durationMs = result ? Math.round(result.metadata.duration * 1000) / 1000 : 0;
    this.costMicros = call.notes.costMicros;
    this.detail = detailOf(kind, call, facts);
  },
);

export const auditEntry = (kind: AuditKind, call: CallRequest, facts: Facts): AuditEntry =>
  new Entry(kind, call, facts);
