/** Starts a program of these suites as a process of its own, and talks to it line by line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Program {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line that begins like this. Rejects when it ends before. */
  said(beginning: string): Promise<string>;
  say(line: string): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export const startProgram = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program => {
  const path = join(import.meta.dirname, name);
  const child = spawn(process.execPath, ['--expose-gc', path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  // Both: a process that was killed may leave lines behind that are read only now.
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(
    ([[code, signal]]) => ({ code: code as number | null, signal: signal as string | null }),
  );
  return {
    child,
    lines,
    ended,
    say: (line) => child.stdin.write(`${line}\n`),
    said: (beginning) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((each) => each.startsWith(beginning));
          if (line !== undefined) resolve(line);
        };
        waiting.add(look);
        look();
        ended.then(() => {
          look();
          reject(new Error(`${name} ended without saying ${beginning}. It said: ${complaint}`));
        }, reject);
      }),
  };
};
