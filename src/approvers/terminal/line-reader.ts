/** Reads answers line by line, until the input ends. */
import { createInterface } from 'node:readline';

export interface LineReader {
  /** Reads the next line; `undefined` at the end of the input or once `stop` was called. */
  next(): Promise<string | undefined>;
  /** Forgets lines that came in before anybody asked. */
  forget(): void;
  stop(): void;
}

export const readLines = (input: NodeJS.ReadableStream): LineReader => {
  const reader = createInterface({ input, terminal: false });
  const waiting: ((line: string | undefined) => void)[] = [];
  let lines: string[] = [];
  let isClosed = false;
  reader.on('line', (line) => {
    const resolveLine = waiting.shift();
    if (resolveLine) resolveLine(line);
    else lines.push(line);
  });
  reader.on('close', () => {
    isClosed = true;
    for (const resolveLine of waiting.splice(0)) resolveLine(undefined);
  });
  return {
    next: () =>
      new Promise((resolve) => {
        const line = lines.shift();
        if (line !== undefined || isClosed) resolve(line);
        else waiting.push(resolve);
      }),
    forget: () => {
      lines = [];
    },
    stop: () => reader.close(),
  };
};
