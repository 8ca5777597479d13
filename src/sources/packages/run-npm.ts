/**
 * Runs npm to find and download packages. It runs in an empty folder of its own, so that no project's
 * `.npmrc` counts, without scripts, and with no variable but those that npm needs.
 */
import { dirname, join } from 'node:path';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { findProgram, pathFolders } from '../../kit/file/find-program.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { npmVariables } from './npm-variables.ts';
import {
  type Environment,
  neededVariables,
  type ProgramOutput,
  runProgram,
} from './run-program.ts';

export interface NpmDeps {
  /** Of the user; only what npm needs is handed on. */
  readonly env: Environment;
}

export interface NpmCall {
  readonly args: readonly string[];
  /** Empty, and readable by this user alone. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const OURS: Environment = {
  npm_config_ignore_scripts: 'true',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_loglevel: 'error',
  npm_config_offline: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
  // A tarball comes from the registry itself, whatever other host the registry names.
  npm_config_replace_registry_host: 'always',
};

const environmentFor = async (env: Environment, folder: string): Promise<Environment> => ({
  ...neededVariables(env),
  ...(await npmVariables(env)),
  ...OURS,
  npm_config_cache: `${folder}/cache`,
});

const MAX_OUTPUT_BYTES = 8_000_000;

interface KnownFailure {
  readonly codes: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
  readonly suggestion: string;
}

const FAILURES: readonly KnownFailure[] = [
  {
    codes: /^(?:E404|ETARGET|ENOVERSIONS)$/,
    code: 'NOT_FOUND',
    message: 'The registry has no such package or version.',
    suggestion: 'Check the spelling of the name, and which versions there are.',
  },
  {
    codes: /^EINTEGRITY$/,
    code: 'PERMISSION_DENIED',
    message: 'The tarball is not the one that the registry announces, so it was not installed.',
    suggestion:
      'Try again later; if it stays so, tell the author and the operator of the registry.',
  },
  {
    codes: /^(?:E401|E403|ENEEDAUTH)$/,
    code: 'AUTH_MISSING',
    message: 'The registry wants a credential.',
    suggestion: 'Log in with npm login, then try again.',
  },
  {
    codes:
      /^(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|FETCH_ERROR|ERR_SOCKET_TIMEOUT|E50[0-4])$/,
    code: 'NETWORK',
    message: 'The registry could not be reached.',
    suggestion: 'Try again later. Installed packages work without a network.',
  },
];

const failureOf = (npmCode: string): ToolFailure => {
  const failure = FAILURES.find(({ codes }) => codes.test(npmCode));
  if (failure) {
    return new ToolFailure(failure.code, failure.message, { suggestions: [failure.suggestion] });
  }
  const which = /^[A-Z0-9_]{2,40}$/.test(npmCode) ? ` (${npmCode})` : '';
  return new ToolFailure('EXECUTION_FAILED', `The package could not be fetched${which}.`, {
    suggestions: ['Try the same with npm pack to see what it says.'],
  });
};

const missing = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'Packages are fetched with npm, which is not installed.', {
    suggestions: ['Install npm; it comes with Node.js.'],
  });

/** Finds npm, as the beginning of a command line. Its `.cmd` file on Windows would need a shell. */
const npmCommand = async (env: Environment): Promise<readonly [string, ...string[]]> => {
  const folders = pathFolders(env);
  const path = await findProgram({ names: ['npm'], folders });
  if (path !== undefined && process.platform !== 'win32') return [path];
  const shim = await findProgram({ names: ['npm.cmd'], folders });
  if (shim === undefined) throw missing();
  return [process.execPath, join(dirname(shim), 'node_modules', 'npm', 'bin', 'npm-cli.js')];
};

const finished = async (call: NpmCall, env: Environment): Promise<ProgramOutput> => {
  const [file, ...before] = await npmCommand(env);
  return runProgram({
    file,
    args: [...before, ...call.args],
    cwd: call.folder,
    signal: call.signal,
    env: await environmentFor(env, call.folder),
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
};

const errorCode = (printed: unknown, stderr: string): string | undefined => {
  const error = isRecord(printed) ? printed.error : undefined;
  if (isRecord(error)) return typeof error.code === 'string' ? error.code : '';
  return printed === undefined
    ? (/npm (?:error|ERR!) code (\w+)/.exec(stderr)?.[1] ?? '')
    : undefined;
};

/** Gives the JSON that npm printed. Rejects with the code for what npm says. */
export const runNpm = async ({ env }: NpmDeps, call: NpmCall): Promise<unknown> => {
  const { stdout, stderr } = await finished(call, env);
  const reading = parseStrictJson(stdout.toString());
  const printed = 'value' in reading ? reading.value : undefined;
  const code = errorCode(printed, stderr);
  if (code !== undefined) throw failureOf(code);
  return printed;
};
