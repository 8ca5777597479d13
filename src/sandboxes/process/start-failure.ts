/** Tells a sandbox that could not be started from a program that failed. */
import { ToolFailure } from '../../contract/errors.ts';

/** The helpers before the program print only when they fail. A program that prints the same spoils only its own result. */
const HELPER = /^(?:bwrap|prlimit|taskset|sandbox-exec|relay): (.*)/;
const HELPER_CODES = new Set([1, 71, 126, 127]);
const NO_PROGRAM = /^execvp (.*): (?:No such file or directory|Permission denied)$/;
const PLAIN_NAME = /^[\w.+-]{1,60}$/;
const NO_HELPER = /^failed to execute (bwrap|taskset): No such file/;

/** Gives the failure, or `undefined` when the program itself has run. */
export const startFailure = (exitCode: number, stderr: string): ToolFailure | undefined => {
  const [, reason] = HELPER_CODES.has(exitCode) ? (HELPER.exec(stderr) ?? []) : [];
  if (reason === undefined) return undefined;
  const [, path] = NO_PROGRAM.exec(reason) ?? [];
  if (path !== undefined) {
    const last = path.split('/').at(-1) ?? '';
    const name = PLAIN_NAME.test(last) ? last : 'it';
    return new ToolFailure('DEPENDENCY_MISSING', 'The program is not there in the sandbox.', {
      suggestions: [`Install ${name} below /usr, or grant the folder it lies in.`],
    });
  }
  return new ToolFailure('SANDBOX_ERROR', `The sandbox could not be put up: ${hint(reason)}`, {
    suggestions: ['Run `toolcrib doctor` to see what is missing.'],
  });
};

/** Says what was wrong, without the paths of the user. */
const hint = (reason: string): string => {
  const [, helper] = NO_HELPER.exec(reason) ?? [];
  if (helper !== undefined) return `the program ${helper} is not installed.`;
  if (/failed to execute|No such file/.test(reason)) return 'a program or a path is missing.';
  if (/namespace|uid map|userns/i.test(reason)) return 'the system allows no user namespaces.';
  if (/Unknown option/.test(reason)) return 'bubblewrap is too old.';
  return 'the system refused a part of it.';
};
