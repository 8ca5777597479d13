/** Reads the messages of a process: one JSON value a line. */
import type { PooledProcess } from '../kit/work/process-pool.ts';

export interface ProcessListener<Message> {
  message(value: Message): void;
  /** Called when the process ends while it is listened to. */
  gone(code: number | null, signal: NodeJS.Signals | null): void;
}

/** Calls `take` for each line. A process writes its next line only after an answer, so a piece holds one line end. */
const readLines = (take: (line: string) => void) => {
  const pieces: Buffer[] = [];
  return (piece: Buffer): void => {
    pieces.push(piece);
    if (piece.at(-1) === 10) take(Buffer.concat(pieces.splice(0)).toString('utf8'));
  };
};

/**
 * Listens to a process; returns a function that stops listening. Kills a process that writes anything but
 * JSON.
 */
export const hearProcess = <Message>(
  child: PooledProcess,
  { message, gone }: ProcessListener<Message>,
): (() => void) => {
  const hear = readLines((line) => {
    try {
      message(JSON.parse(line) as Message);
    } catch {
      child.kill('SIGKILL');
    }
  });
  child.stdout.on('data', hear);
  child.once('close', gone);
  return () => {
    child.stdout.off('data', hear);
    child.off('close', gone);
  };
};
