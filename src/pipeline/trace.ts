/**
 * Times the stages of calls for listeners of `call.traced`. Calls without a listener do not come here.
 * It notes when and how a stage ended, never what was in the call.
 */
import type { CallRequest, Next } from '../contract/call.ts';
import type { Events, StageTrace } from '../contract/events.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { AnyStage, Tracer } from './pipeline.ts';

interface TracerDeps {
  readonly events: Events;
  readonly runtime: Pick<Runtime, 'elapsed'>;
}

/** A call with many retries gets no more entries than this. */
const MAX_STAGES = 100;

type Note = { -readonly [K in keyof StageTrace]: StageTrace[K] };

export const createTracer = ({ events, runtime }: TracerDeps): Tracer => {
  const notes = new WeakMap<CallRequest, Note[]>();

  const begin = (call: CallRequest, stage: string): Note | undefined => {
    const of = notes.get(call);
    if (!of || of.length >= MAX_STAGES) return undefined;
    const startMs = runtime.elapsed() - call.startedElapsed;
    const note: Note = { stage, startMs, durationMs: 0, outcome: 'answered' };
    of.push(note);
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
    try {
      return await stage(call as never, onward);
    } catch (error) {
      if (note) note.outcome = 'threw';
      throw error;
    } finally {
      if (note) end(call, note);
    }
  };

  return {
    isWanted: () => events.has('call.traced'),
    around: <S extends AnyStage>(stage: S) =>
      ((call: CallRequest, next?: Next<never>) => timed(stage, call, next)) as unknown as S,
    run: async (call, through) => {
      const stages: Note[] = [];
      notes.set(call, stages);
      const result = await through(call);
      events.emit('call.traced', { executionId: call.executionId, stages });
      return result;
    },
  };
};
