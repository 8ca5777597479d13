/**
 * The span of one turn at a run. A run may take days, in several processes: all of its turns, and those
 * of the runs that it starts, are in one trace: that of the request or job that started the outermost run,
 * or one whose id follows from the id of that run.
 */
import { createHash } from 'node:crypto';
import type { FlowRun } from '../contract/flow-store.ts';
import type { Span, Telemetry, TraceContext } from '../contract/telemetry.ts';
import { thrownError } from '../pipeline/record/thrown-error.ts';
import type { TurnEnd } from './turn.ts';

/** Picks the trace of whoever starts a run, for the record of the run. */
export const traceOf = ({ trace }: Pick<FlowRun, 'trace'>): Pick<FlowRun, 'trace'> =>
  trace ? { trace } : {};

/** Returns the trace of a run. A span that is made up is never sent, because no process holds it open. */
const traceOfRun = ({ id, parent, outerFlows, trace }: FlowRun): TraceContext => {
  if (trace) return trace;
  const outermost = outerFlows?.[0]?.flowId ?? parent?.runId ?? id;
  const digest = createHash('sha256').update(`toolcrib:run:${outermost}`).digest('hex');
  return { traceparent: `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01` };
};

/** Starts the span of a turn; nothing where nobody traces. */
export const startTurnSpan = (run: FlowRun, telemetry: Telemetry | undefined): Span | undefined =>
  telemetry?.start(`invoke_workflow ${run.flow}`, {
    parent: traceOfRun(run),
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': run.flow,
      'user.id': run.caller.userId,
      'toolcrib.flow.run_id': run.id,
      'toolcrib.flow.version': run.version,
      ...(run.parent && { 'toolcrib.flow.parent_run_id': run.parent.runId }),
    },
  });

/** Ends it with how the turn ended: done, failed, waiting, or lost with its store. */
export const endTurnSpan = (span: Span | undefined, end: TurnEnd): void => {
  const isError = end.type === 'failed' || end.type === 'lost';
  span?.end(
    { 'toolcrib.flow.turn': end.type },
    isError
      ? { type: end.type === 'failed' ? thrownError(end.error).code : 'STORE_UNAVAILABLE' }
      : undefined,
  );
};
