/** Progress of a call as the client asked for it: by its token, or as log lines without one. */
import type { CallOptions } from '../../../contract/call-options.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { CallContext } from './call-context.ts';

export interface Progress {
  readonly onProgress: NonNullable<CallOptions['onProgress']>;
  /** To be told when the call is over, where it matters. */
  readonly stop?: () => void;
}

/** A call that is silent for this long says that it runs: over HTTP a stream opens, and is kept alive. */
const SILENT_MS = 10_000;

export const progressOf = (ctx: CallContext, tool: string, runtime: Runtime): Progress => {
  const token = ctx.mcpReq._meta?.progressToken;
  // The client may be gone already: its call is cancelled elsewhere.
  const sent = (sending: Promise<void>): void => void sending.catch(() => undefined);
  if (token === undefined) {
    const onProgress: Progress['onProgress'] = (_fraction, note) => {
      if (note !== undefined) sent(ctx.mcpReq.log('info', note, tool));
    };
    return { onProgress };
  }
  let last = -1;
  const onProgress: Progress['onProgress'] = (fraction, note) => {
    // The protocol wants progress to grow; what does not is left out.
    if (!(fraction > last)) return;
    last = fraction;
    const message = note === undefined ? {} : { message: note };
    const params = { progressToken: token, progress: fraction, total: 1, ...message };
    sent(ctx.mcpReq.notify({ method: 'notifications/progress', params }));
  };
  const timer = runtime.after(SILENT_MS, () => onProgress(0, undefined));
  timer.keepAlive(false);
  return { onProgress, stop: () => timer.cancel() };
};
