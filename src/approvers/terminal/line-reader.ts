/** Reads answers line by line, and says when there will be none any more. */
import { createInterface } from 'node:readline';

export interface LineReader {
  /** The next line; `undefined` at the end of the input or once `stop` was called. */
  next(): Promise<string | undefined>;
  /** Forgets lines that came in before anybody asked. */
  forget(): void;
  stop(): void;
}

export const readLines = (input: NodeJS.ReadableStream): LineReader => {
  const reader = createInterface({ input, terminal: false });
  const waiting: ((line: string | undefined) => void)[] = [];
  let lines: string[] = [];
  let over = false;
  reader.on('line', (line) => {
    const give = waiting.shift();
    if (give) give(line);
    else lines.push(line);
  });
  reader.on('close', () => {
    over = true;
    for (const give of waiting.splice(0)) give(undefined);
  });
  return {
    next: () =>
      new Promise((resolve) => {
        const line = lines.shift();
        if (line !== undefined || over) resolve(line);
        else waiting.push(resolve);
      }),
    forget: () => {
      lines = [];
    },
    stop: () => reader.close(),
  };
};
