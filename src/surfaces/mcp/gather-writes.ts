/** Replies that are ready in the same turn of the event loop leave in one write, not one each. */
import type { Writable } from 'node:stream';

/** The same stream; every write to it is held until the turn is over. */
export const gatherWrites = <T extends Writable>(stream: T): T => {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const gathered = (...args: unknown[]): boolean => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...args);
  };
  stream.write = gathered as T['write'];
  return stream;
};
