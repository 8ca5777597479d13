/** Ctrl-C: the first one cancels what is running, the second one leaves at once. */
import { ERRORS } from '../../contract/errors.ts';
import { type Io, note } from '../io.ts';

/** Returns how to stop listening. While a question is open, its end is all that is said. */
export const onInterrupt = (
  io: Io,
  cancel: () => void,
  isAsking: () => boolean = () => false,
): (() => void) => {
  let asked = false;
  const interrupt = () => {
    if (asked) io.signals.exit(ERRORS.CANCELLED.exit);
    asked = true;
    if (!isAsking()) note(io, 'Cancelling. Ctrl-C again leaves at once.');
    cancel();
  };
  io.signals.on('SIGINT', interrupt);
  io.signals.on('SIGTERM', interrupt);
  return () => {
    io.signals.off('SIGINT', interrupt);
    io.signals.off('SIGTERM', interrupt);
  };
};
