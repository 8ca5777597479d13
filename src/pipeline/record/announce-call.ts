/** Tells those who listen that a call has started, and how it ended. */
import type { CallRequest } from '../../contract/call.ts';
import type { Events, MeasuredCall } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { usageOf } from '../broker/note-usage.ts';
import { evidenceOf } from '../pipeline.ts';
import { summaryOfCall } from './audit-entry.ts';

export interface AnnounceDeps {
  readonly events: Events;
  readonly redactor: Redactor;
}

export const announceStart = (call: CallRequest, { redactor, events }: AnnounceDeps): void => {
  if (!events.has('call.started')) return;
  const tool = redactor.text(call.toolName);
  const { executionId, caller } = call;
  events.emit('call.started', { executionId, tool, userId: caller.userId });
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
const finished = (call: CallRequest, result: ToolResult, deps: AnnounceDeps): void => {
  const usage = usageOf(call);
  deps.events.emit('call.finished', {
    tool: nameOf(call, result),
    userId: call.caller.userId,
    summary: summaryOfCall(call, deps.redactor),
    result: ownCopy(result),
    ...(usage && { usage }),
  });
};

export const announceEnd = (call: CallRequest, result: ToolResult, deps: AnnounceDeps): void => {
  const { events } = deps;
  if (events.has('call.measured')) events.emit('call.measured', measured(call, result));
  if (events.has('call.finished')) finished(call, result, deps);
};
