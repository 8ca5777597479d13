/**
 * The span of a call, named and described as the OpenTelemetry conventions for generative AI have it.
 * It holds no input and no result unless the person who set tracing up asked for them; both are redacted.
 */
import type { CallRequest } from '../contract/call.ts';
import { UNKNOWN_TOOL } from '../contract/metrics.ts';
import type { ToolResult } from '../contract/result.ts';
import type {
  Span,
  SpanAttributes,
  SpanError,
  Telemetry,
  TraceContext,
} from '../contract/telemetry.ts';
import { callAndParents } from './call-and-parents.ts';
import { evidenceOf } from './pipeline.ts';

/** Longer arguments and results are cut: exporters refuse large spans. */
const MAX_CONTENT_LENGTH = 8_192;

/** Returns the trace that a call is part of, for the requests that it makes. */
export const traceOf = (call: CallRequest): TraceContext | undefined => {
  for (const each of callAndParents(call)) {
    const trace = each.span?.trace ?? each.options.trace;
    if (trace) return trace;
  }
  return undefined;
};

const startAttributes = ({ executionId, caller, options }: CallRequest): SpanAttributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.call.id': executionId,
  'gen_ai.agent.id': caller.agentId,
  'gen_ai.conversation.id': caller.sessionId,
  'user.id': caller.userId,
  ...(options.flowId !== undefined && { 'toolcrib.flow.run_id': options.flowId }),
  ...(options.dryRun && { 'toolcrib.dry_run': true }),
});

/** Starts the span of a call. Its name has no tool yet: that of the request may be any text. */
export const startCallSpan = (call: CallRequest, telemetry: Telemetry): Span => {
  const start = { attributes: startAttributes(call) };
  const outer = call.parent?.span;
  return outer
    ? outer.child('execute_tool', start)
    : telemetry.start('execute_tool', { ...start, parent: call.options.trace });
};

const toolAttributes = (call: CallRequest): SpanAttributes => {
  const { tool } = evidenceOf(call).ready ?? {};
  if (!tool) return { 'gen_ai.tool.name': UNKNOWN_TOOL };
  const { name, description, version, tier, source } = tool;
  return {
    'gen_ai.tool.name': name,
    'gen_ai.tool.description': description,
    // What runs elsewhere is an extension in the words of the conventions.
    'gen_ai.tool.type': source === 'builtin' || source === 'custom' ? 'function' : 'extension',
    'toolcrib.tool.source': tool.server ?? source,
    'toolcrib.tool.version': version,
    'toolcrib.tool.tier': tier,
  };
};

const cut = (value: unknown): string => {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_CONTENT_LENGTH ? `${text.slice(0, MAX_CONTENT_LENGTH)}…` : text;
};

const contentOf = (call: CallRequest, result: ToolResult): SpanAttributes => ({
  'gen_ai.tool.call.arguments': cut(call.notes.recordedInput),
  ...(result.success && { 'gen_ai.tool.call.result': cut(result.data) }),
});

const errorOf = ({ success, status, error }: ToolResult): SpanError | undefined => {
  // A call that waits for a person has not failed.
  if (success || status === 'pending') return undefined;
  return { type: error?.code ?? 'INTERNAL', message: error?.message };
};

/** Ends the span with what became of the call. */
export const endCallSpan = (
  { call, span, result }: { call: CallRequest; span: Span; result: ToolResult },
  telemetry: Telemetry,
): void => {
  if (!span.isRecorded) {
    span.end();
    return;
  }
  const about = toolAttributes(call);
  span.rename(`execute_tool ${about['gen_ai.tool.name']}`);
  const { attempts, cost, tokensUsed, cached, degraded } = result.metadata;
  span.end(
    {
      ...about,
      'toolcrib.call.status': result.status,
      'toolcrib.call.attempts': attempts,
      'toolcrib.call.cost_usd': cost,
      'toolcrib.call.tokens': tokensUsed,
      ...(cached && { 'toolcrib.call.cached': true }),
      ...(degraded && { 'toolcrib.call.degraded': true }),
      ...(result.approval && { 'toolcrib.approval.id': result.approval.approvalId }),
      ...(telemetry.recordsContent && contentOf(call, result)),
    },
    errorOf(result),
  );
};
