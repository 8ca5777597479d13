/** Turns the options of `approvals approve` into an answer, and checks it before it is given. */
import type { Command } from 'commander';
import type { ApprovalAnswer, ApprovalRecord, Remember } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { compact } from '../../../kit/data/compact.ts';
import { misuse } from '../../input/misuse.ts';
import { readDeadline } from '../../input/moment.ts';
import { parseJson } from '../../input/parse-json.ts';
import { readInput } from '../../input/read-input.ts';
import type { Io } from '../../io.ts';
import { localPerson } from '../../session/local-person.ts';

export interface AnswerOptions {
  readonly note?: string;
  readonly session?: boolean;
  readonly pattern?: string;
  readonly expires?: string;
  readonly input?: string;
}

export const withAnswer = (command: Command): Command =>
  command
    .option(
      '--session',
      'and allow this tool and action for the rest of the session, 24 hours at most',
    )
    .option('--pattern <cel>', 'and always allow it where this CEL condition holds')
    .option('--expires <when>', 'when the pattern expires: 8h, 7d, or a date')
    .option('--input <json>', 'approve with this input instead: JSON, @file, or - for stdin')
    .option('--note <text>', 'a note for the record');

const rememberFrom = (io: Io, options: AnswerOptions): Remember | undefined => {
  const { session = false, pattern, expires } = options;
  if (session && pattern !== undefined) {
    throw misuse('Give one of --session and --pattern.');
  }
  if (expires !== undefined && pattern === undefined) {
    throw misuse('--expires goes with --pattern.', 'A session ends by itself, after a day.');
  }
  if (session) return { scope: 'session' };
  if (pattern === undefined) return undefined;
  const condition = pattern;
  if (expires === undefined) return { scope: 'pattern', condition };
  const expiresAt = readDeadline('--expires', expires, io.runtime.now());
  return { scope: 'pattern', condition, expiresAt };
};

const inputFrom = async (io: Io, text: string): Promise<unknown> => {
  if (text === '-') return (await readInput(io, { args: ['-'], file: undefined })).base;
  if (text.startsWith('@')) {
    return (await readInput(io, { args: [], file: text.slice(1) })).base;
  }
  return parseJson(text, 'The new input');
};

/**
 * Fails when policy or schema refuse the new input, before the answer is given: the person can still
 * answer differently.
 */
const assertAllowed = async (crib: Crib, { request }: ApprovalRecord, input: unknown) => {
  const { tool, version, caller } = request;
  const { verdict } = await crib.explain(tool, input, { ...caller, version });
  if (verdict.effect !== 'deny') return;
  throw new ToolFailure('PERMISSION_DENIED', `${verdict.reason} (rule ${verdict.rule})`, {
    suggestions: ['The call still waits: approve it as it is, deny it, or edit it otherwise.'],
  });
};

/** Makes the answer. Fails with VALIDATION_ERROR when the options do not fit this question. */
export const approvingAnswer = async (
  io: Io,
  { crib, record }: { readonly crib: Crib; readonly record: ApprovalRecord },
  options: AnswerOptions,
): Promise<ApprovalAnswer> => {
  const remember = rememberFrom(io, options);
  if (remember && !record.request.rememberable) {
    throw misuse(
      'This is asked every time: the answer cannot be remembered.',
      'Approve this one call: leave --session and --pattern out.',
    );
  }
  const input = options.input === undefined ? undefined : await inputFrom(io, options.input);
  if (options.input !== undefined) {
    if (input === undefined) throw misuse('The new input is empty.');
    await assertAllowed(crib, record, input);
  }
  return {
    approve: true,
    by: localPerson(),
    ...compact({ note: options.note, input, remember }),
  };
};
