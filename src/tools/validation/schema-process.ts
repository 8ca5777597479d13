/**
 * Checks a value against a schema in a process of its own. A schema can keep a processor busy for as
 * long as it likes; here it keeps nobody waiting, and it can be killed.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ToolFailure } from '../../contract/errors.ts';
import { takeTurns } from '../../kit/data/take-turns.ts';
import { startParentWatch } from '../parent-watch.ts';
import { type SchemaJob, type SchemaOutcome, schemaWork } from './schema-work.ts';

const MAX_MS = 10_000;
const MAX_MEMORY_MB = 512;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** As many as leave a small machine room for everything else. The time of a check starts with its turn. */
const turns = takeTurns(2);

export interface SchemaFiles {
  readonly dialect: string;
  readonly formats: string;
  readonly engine: string;
}

type Answer = SchemaOutcome | { readonly deep: true };

const program = (): string => `
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
${startParentWatch()};
const work = ${schemaWork.toString()};
const { files, job } = JSON.parse(readFileSync(0, 'utf8'));
const dialect = require(files.dialect);
const libraries = {
  Dialect: dialect.default ?? dialect,
  addFormats: require(files.formats).default,
  engine: require(files.engine).RE2JS,
};
let answer;
try {
  answer = work(libraries, job);
} catch (error) {
  if (error.name !== 'RangeError') throw error;
  answer = { deep: true };
}
writeFileSync(1, JSON.stringify(answer));
process.exit(0);
`;

const start = (): ChildProcessByStdio<Writable, Readable, null> =>
  process
    .getBuiltinModule('node:child_process')
    .spawn(
      process.execPath,
      [`--max-old-space-size=${MAX_MEMORY_MB}`, '--no-warnings', '-e', program()],
      { env: {}, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true },
    );

/** What the process wrote; empty when it was killed. */
const converse = (request: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = start();
    const pieces: Buffer[] = [];
    let size = 0;
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MAX_ANSWER_BYTES) kill();
      else pieces.push(piece);
    });
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', () => {
      signal.removeEventListener('abort', kill);
      resolve(Buffer.concat(pieces).toString('utf8'));
    });
    child.stdin.end(request);
  });

const tooLong = (): ToolFailure =>
  new ToolFailure('TIMEOUT', `Checking the schema took longer than ${MAX_MS} ms.`, {
    suggestions: ['Use a simpler schema or a smaller document.'],
    retryable: false,
  });

const tooDeep = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The schema is nested too deep.', {
    suggestions: ['Use less nesting, and no references that lead back to themselves.'],
  });

/** Fails with TIMEOUT or CANCELLED; the process is gone then. */
export const checkInProcess = async (
  files: SchemaFiles,
  job: SchemaJob,
  signal: AbortSignal,
): Promise<SchemaOutcome> => {
  const request = JSON.stringify({ files, job });
  let clock = signal;
  const check = (): Promise<string> => {
    clock = AbortSignal.timeout(MAX_MS);
    return converse(request, AbortSignal.any([signal, clock]));
  };
  const text = await turns.run(check, signal).catch((error: unknown) => {
    if (signal.aborted) return '';
    throw error;
  });
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  if (clock.aborted) throw tooLong();
  if (text === '') {
    throw new ToolFailure('VALIDATION_ERROR', 'The schema needs more memory than it may use.');
  }
  const answer = JSON.parse(text) as Answer;
  if ('deep' in answer) throw tooDeep();
  return answer;
};
