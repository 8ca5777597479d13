/** Handles Ctrl-C and the other signals that end a command. */
import { ERRORS } from '../../contract/errors.ts';
import { type Io, note } from '../io.ts';

/**
 * Cancels what is running on the first signal and exits on the second. Says nothing while a question is
 * open: its own end is visible. Returns how to stop listening.
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

/** Waits for a signal that ends a command which stays. `onSecond` runs when another one follows. */
export const awaitEnd = (
  io: Io,
  onSecond: () => void = () => undefined,
): { readonly ended: Promise<void>; release(): void } => {
  let end: () => void = () => undefined;
  let count = 0;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onSignal = (): void => {
    count += 1;
    if (count > 1) onSecond();
    end();
  };
  for (const name of END_SIGNALS) io.signals.on(name, onSignal);
  return {
    ended,
    release: () => {
      for (const name of END_SIGNALS) io.signals.off(name, onSignal);
    },
  };
};
