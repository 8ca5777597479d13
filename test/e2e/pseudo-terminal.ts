/** Drives the built program through a pseudo terminal, by way of `script`. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../src/cli/output/format-units.ts';
import type { Project } from './run-toolcrib.ts';

export interface TerminalSession {
  /** Resolves when the text has been shown; rejects when the program ends before. */
  waitFor(text: string): Promise<void>;
  type(text: string): void;
  /** Makes the terminal that large; on Linux alone. */
  resize(columns: number, rows: number): void;
  /** The exit code. */
  ended(): Promise<number | null>;
  shown(): string;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** The arguments differ between util-linux and the BSDs. No shell may stand between: it would answer Ctrl-C itself. */
const scriptArguments = (command: readonly string[]): readonly string[] =>
  process.platform === 'linux'
    ? ['-qefc', `exec ${command.map(shellQuote).join(' ')}`, '/dev/null']
    : ['-q', '/dev/null', ...command];

export const openTerminal = (
  { cli, folder, env }: Project,
  args: readonly string[],
  options: TerminalOptions = {},
): TerminalSession => {
  const tty = join(mkdtempSync(join(env.HOME ?? folder, 'tty-')), 'name');
  // The shell names the terminal and is gone then.
  const named = ['sh', '-c', 'tty > "$0"; exec "$@"', tty, process.execPath, cli, ...args];
  const child = spawn('script', scriptArguments(named), {
    cwd: folder,
    env: { ...env, TERM: 'xterm', ...options.env },
  });
  let shown = '';
  let over = false;
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      wake();
    });
  }
  const end = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      over = true;
      wake();
      resolve(code);
    });
  });
  return {
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (shown.includes(text)) resolve();
          else if (over) reject(new Error(`Ended without showing "${text}":\n${shown}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
    type: (text) => void child.stdin.write(text),
    resize: (columns, rows) => {
      const name = readFileSync(tty, 'utf8').trim();
      execFileSync('stty', ['-F', name, 'cols', String(columns), 'rows', String(rows)]);
    },
    ended: () => end,
    shown: () => shown,
  };
};
