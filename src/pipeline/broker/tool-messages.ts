/**
 * What a tool says while it runs: lines of the log, steps of progress and warnings. All of it is redacted and
 * bounded, for a tool may say any number of bytes.
 */
import type { Call, CallRequest } from '../../contract/call.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Events } from '../../contract/events.ts';
import type { Logger, Runtime } from '../../contract/runtime.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { thrownText } from '../../kit/data/reason-of.ts';

export interface ToolMessageDeps {
  readonly runtime: Pick<Runtime, 'log'>;
  readonly events: Events;
  readonly redactor: Redactor;
}

/** Limits one warning, and the text of one step of progress. */
const MAX_MESSAGE = 2_000;
/** Limits the warnings of one call: all of them are part of its result. */
const MAX_WARNINGS = 100;

/** Redacts before the final cut: a secret cut in half would not be found. */
const shortText = (said: unknown, redactor: Redactor): string =>
  redactor.text(thrownText(said).slice(0, MAX_MESSAGE * 8)).slice(0, MAX_MESSAGE);

/** Tells those who watch a call how far it is. */
export const tellProgress = (
  { control, executionId, notes }: CallRequest,
  [fraction, note]: Parameters<ToolContext['progress']>,
  { events, redactor }: ToolMessageDeps,
): void => {
  if (notes.ended || !control.step(fraction)) return;
  const text = note === undefined ? undefined : shortText(note, redactor);
  control.progress(fraction, text);
  if (events.has('call.progressed')) {
    events.emit('call.progressed', { executionId, fraction, note: text });
  }
};

/** Notes a warning, which becomes part of the result of the call. */
export const noteWarning = (
  { notes }: CallRequest,
  message: string,
  { redactor }: ToolMessageDeps,
): void => {
  notes.warnings ??= [];
  const { length } = notes.warnings;
  if (length < MAX_WARNINGS) notes.warnings.push(shortText(message, redactor));
  else if (length === MAX_WARNINGS) notes.warnings.push('Further warnings were left out.');
};

/** Makes the logger of a call, whose lines name it. */
export const callLogger = (call: Call<'ready'>, deps: ToolMessageDeps): Logger => {
  const { log } = deps.runtime;
  const write =
    (level: keyof Logger) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      log[level](deps.redactor.text(thrownText(message)), {
        ...(deps.redactor.record(fields) as Record<string, unknown>),
        tool: call.ready.tool.name,
        executionId: call.executionId,
        traceId: call.traceId,
        callerId: call.caller.userId,
      });
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
};
