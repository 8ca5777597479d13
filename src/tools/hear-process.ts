/** Hears what a process says, a message of JSON a line. */
import type { CompilerProcess } from './compiler-processes.ts';

export interface Hearing<Message> {
  message(said: Message): void;
  /** The process ended before the hearing did. */
  gone(code: number | null, signal: NodeJS.Signals | null): void;
}

/** Nothing follows a line before it is answered, so nothing is left over after one. */
const readLines = (take: (line: string) => void) => {
  const pieces: Buffer[] = [];
  return (piece: Buffer): void => {
    pieces.push(piece);
    if (piece.at(-1) === 10) take(Buffer.concat(pieces.splice(0)).toString('utf8'));
  };
};

/** Returns what ends the hearing. A process that says anything else than JSON is killed. */
export const hearProcess = <Message>(
  child: CompilerProcess,
  { message, gone }: Hearing<Message>,
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
