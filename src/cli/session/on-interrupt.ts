/** Handles Ctrl-C and the other signals that end a command. */
import { ERRORS } from '../../contract/errors.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { type CommandLog, type Io, note } from '../io.ts';

/**
 * Cancels the running work on the first signal and exits on the second. Prints nothing while a question
 * is open, because the question shows that itself. Returns a function that stops listening.
 */
export const onInterrupt = (
  io: Io,
  cancel: () => void,
  isAsking: () => boolean = () => false,
): (() => void) => {
  let isCancelled = false;
  const interrupt = () => {
    if (isCancelled) io.signals.exit(ERRORS.CANCELLED.exit);
    isCancelled = true;
    if (!isAsking()) note(io, 'Cancelling. Press Ctrl-C again to exit at once.');
    cancel();
  };
  io.signals.on('SIGINT', interrupt);
  io.signals.on('SIGTERM', interrupt);
  return () => {
    io.signals.off('SIGINT', interrupt);
    io.signals.off('SIGTERM', interrupt);
  };
};

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface EndOptions {
  /** Runs when another signal follows the one that ends the command. */
  onSecond?(): void;
  /** Replaces the end of the command on SIGHUP. */
  onHangUp?(): void;
}

/**
 * Describes how a service ends: at once on a second signal, because its user does not want to wait.
 * SIGHUP reopens its log file, unless it means that the terminal was closed.
 */
export const endingOf = (io: Io, { log, service }: CommandLog): EndOptions => {
  const reopen = io.stderr.isTTY === true ? undefined : service?.reopen;
  return {
    onSecond: () => io.signals.exit(1),
    ...(reopen && {
      onHangUp: () => {
        try {
          reopen();
        } catch (error) {
          log.error('The file of the log could not be opened anew.', { error: reasonOf(error) });
        }
      },
    }),
  };
};

/** Waits for a signal that ends a command that stays. */
export const awaitEnd = (
  io: Io,
  { onSecond, onHangUp }: EndOptions = {},
): { readonly ended: Promise<void>; release(): void } => {
  let end: () => void = () => undefined;
  let count = 0;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onSignal = (): void => {
    count += 1;
    if (count > 1) onSecond?.();
    end();
  };
  const handlerOf = (name: (typeof END_SIGNALS)[number]): (() => void) =>
    name === 'SIGHUP' && onHangUp ? onHangUp : onSignal;
  for (const name of END_SIGNALS) io.signals.on(name, handlerOf(name));
  return {
    ended,
    release: () => {
      for (const name of END_SIGNALS) io.signals.off(name, handlerOf(name));
    },
  };
};
