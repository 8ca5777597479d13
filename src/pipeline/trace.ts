/**
 * Times the stages of calls for listeners of `call.traced`, and makes spans of calls and stages where
 * the program traces. Calls without either do not come here. It notes when and how a stage ended, never
 * what was in the call.
 */
import type { CallRequest, Next } from '../contract/call.ts';
import type { Events, StageTrace } from '../contract/events.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Span, Telemetry } from '../contract/telemetry.ts';
import { endCallSpan, startCallSpan } from './call-span.ts';
import type { AnyStage, Tracer } from './pipeline.ts';

interface TracerDeps {
  readonly events: Events;
  readonly runtime: Pick<Runtime, 'elapsed' | 'telemetry'>;
}

/** A call with many retries gets no more entries than this. */
const MAX_STAGES = 100;

type Note = { -readonly [K in keyof StageTrace]: StageTrace[K] };

/** Puts the span of a stage around what the stage does: calls it makes become children of it. */
const inStageSpan = async (
  { call, stage, note }: { call: CallRequest; stage: string; note: Note },
  work: () => Promise<ToolResult>,
): Promise<ToolResult> => {
  const outer = call.span;
  if (!outer?.isRecorded) return work();
  const span = outer.child(`stage ${stage}`);
  call.span = span;
  try {
    return await span.run(work);
  } finally {
    call.span = outer;
    span.end({ 'toolcrib.stage.outcome': note.outcome });
  }
};

/** Runs a call in a span of its own. */
const inCallSpan = async (
  call: CallRequest & { traceId: string },
  telemetry: Telemetry,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> => {
  const span: Span = startCallSpan(call, telemetry);
  call.span = span;
  const { trace, traceId } = call.options;
  // Results and audit rows name the trace of the span, unless the caller gave a `traceId` but no `trace`.
  if (trace !== undefined || traceId === undefined) call.traceId = span.traceId;
  try {
    const result = await span.run(work);
    endCallSpan({ call, span, result }, telemetry);
    return result;
  } catch (error) {
    span.end({}, { type: 'INTERNAL' });
    throw error;
  }
};

export const createTracer = ({ events, runtime }: TracerDeps): Tracer => {
  const notes = new WeakMap<CallRequest, Note[]>();

  const begin = (call: CallRequest, stage: string): Note | undefined => {
    const entries = notes.get(call);
    if (!entries || entries.length >= MAX_STAGES) return undefined;
    const startMs = runtime.elapsed() - call.startedElapsed;
    const note: Note = { stage, startMs, durationMs: 0, outcome: 'answered' };
    entries.push(note);
    return note;
  };

  const end = (call: CallRequest, note: Note): void => {
    note.durationMs = runtime.elapsed() - call.startedElapsed - note.startMs;
  };

  const timed = async (
    stage: AnyStage,
    call: CallRequest,
    next: Next<never> | undefined,
  ): Promise<ToolResult> => {
    const note = begin(call, stage.name);
    const onward: Next<never> = (handed) => {
      if (note) note.outcome = 'passed';
      return (next as Next<never>)(handed);
    };
    const work = () => stage(call as never, onward);
    try {
      return await (note ? inStageSpan({ call, stage: stage.name, note }, work) : work());
    } catch (error) {
      if (note) note.outcome = 'threw';
      throw error;
    } finally {
      if (note) end(call, note);
    }
  };

  return {
    isWanted: () => runtime.telemetry !== undefined || events.has('call.traced'),
    around: <S extends AnyStage>(stage: S) =>
      ((call: CallRequest, next?: Next<never>) => timed(stage, call, next)) as unknown as S,
    run: async (call, through) => {
      const stages: Note[] = [];
      notes.set(call, stages);
      const { telemetry } = runtime;
      const work = () => through(call);
      const result = await (telemetry ? inCallSpan(call, telemetry, work) : work());
      events.emit('call.traced', { executionId: call.executionId, stages });
      return result;
    },
  };
};
