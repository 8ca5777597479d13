/** Asks the person at the terminal. Only `y` or `yes` means yes. */
import { createInterface } from 'node:readline/promises';
import type { ToolFailure } from '../../contract/errors.ts';
import type { Io } from '../io.ts';
import { misuse } from './misuse.ts';

export const canAsk = (io: Io): boolean => io.stdin.isTTY === true && io.stderr.isTTY === true;

/** Makes the failure for a question when nobody can be asked. */
export const noTerminal = (suggestion: string): ToolFailure =>
  misuse('There is no terminal to ask on.', suggestion);

export const confirm = async (io: Io, question: string): Promise<boolean> => {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} y = yes · n = no > `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
};
