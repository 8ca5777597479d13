/** Reads the value of a secret: piped in, or typed by a person without being shown. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Io } from '../../io.ts';

/** What is typed goes nowhere. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

const typed = (io: Io, key: string): Promise<string> =>
  new Promise((resolve) => {
    io.stderr.write(`Value of ${key} (it is not shown): `);
    const lines = createInterface({ input: io.stdin, output: nowhere(), terminal: true });
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    // Also when the person gives up with Ctrl-C or Ctrl-D: then there is no value.
    lines.once('close', () => {
      io.stderr.write('\n');
      resolve(answer);
    });
  });

/** The line break that `echo` adds is not part of the secret. */
const piped = async (io: Io): Promise<string> => (await text(io.stdin)).replace(/\r?\n$/, '');

/** Fails with VALIDATION_ERROR when there is none. */
export const readSecretValue = async (io: Io, key: string): Promise<string> => {
  const value = io.stdin.isTTY === true ? await typed(io, key) : await piped(io);
  if (value !== '') return value;
  throw new ToolFailure('VALIDATION_ERROR', 'No value was given.', {
    suggestions: [`Type it when asked, or pipe it in: toolcrib secrets set ${key} < file`],
  });
};
