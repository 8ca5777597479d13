/** Runs npm so that it prints JSON, runs no scripts and uses no program that the project's `.npmrc` names. */
import type { ToolContext } from '../contract/context.ts';
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import { isRecord } from '../kit/data/is-record.ts';
import {
  INSTALL_NPM,
  type NpmRegistries,
  registryHosts,
  registryVariables,
} from './npm-registries.ts';
import { runProgram } from './run-program.ts';

/** The environment overrides the project's configuration file. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  npm_config_git: 'git',
  npm_config_script_shell: '/bin/sh',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_loglevel: 'error',
  npm_config_offline: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
};

interface KnownFailure {
  readonly codes: readonly string[];
  readonly code: ErrorCode;
  readonly message: string;
  readonly suggestion: string;
}

const FAILURES: readonly KnownFailure[] = [
  {
    codes: ['E404', 'ETARGET', 'ENOVERSIONS'],
    code: 'NOT_FOUND',
    message: 'The registry has no such package or version.',
    suggestion: 'Check the spelling of the name and which versions there are.',
  },
  {
    codes: ['ERESOLVE', 'EPEERINVALID', 'ECONFLICT'],
    code: 'CONFLICT',
    message: 'The packages asked for do not fit those that are there.',
    suggestion: 'Choose versions whose peer dependencies fit.',
  },
  {
    codes: [
      'ENOTFOUND',
      'ECONNREFUSED',
      'ECONNRESET',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'ENETUNREACH',
      'FETCH_ERROR',
      'ERR_SOCKET_TIMEOUT',
      'E502',
      'E503',
      'E504',
    ],
    code: 'NETWORK',
    message: 'The package registry could not be reached.',
    suggestion: 'Try again later, or use an operation that needs no network.',
  },
  {
    codes: ['E401', 'E403', 'ENEEDAUTH'],
    code: 'AUTH_MISSING',
    message: 'The package registry wants a credential.',
    suggestion: 'Have a person log in to the registry.',
  },
  {
    codes: ['ENOLOCK', 'ENOENT', 'EJSONPARSE', 'EUSAGE'],
    code: 'PRECONDITION_FAILED',
    message: 'The project has no usable package.json or lock file.',
    suggestion: 'Run npm_install first, or correct package.json.',
  },
];

/** Makes the failure for an error code of npm. */
const npmFailure = (npmCode: string): ToolFailure => {
  const failure = FAILURES.find(({ codes }) => codes.includes(npmCode));
  if (!failure) {
    return new ToolFailure('EXECUTION_FAILED', 'npm failed.', {
      suggestions: ['Run the same npm command by hand to see what it says.'],
    });
  }
  return new ToolFailure(failure.code, failure.message, { suggestions: [failure.suggestion] });
};

export interface NpmCall {
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs?: number;
  /** The registries that it may reach; when absent, it has no network. */
  readonly registries?: NpmRegistries;
}

export type JsonObject = Readonly<Record<string, unknown>>;

const readObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Matches the line that the sandbox adds when its proxy has refused a host. */
const REFUSED = /^Connection to .* refused: /m;

const refused = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'npm asked for a host that is none of its registries.', {
    suggestions: [
      'Look for addresses in package.json and the lock file that lead elsewhere.',
      'If the registry is local, have a person name it in egress.allowPrivate.',
    ],
  });

/** Reads npm's error code: `npm audit` gives the code of a failed connection in its message only. */
const errorCodeOf = (error: JsonObject, { message }: JsonObject): string =>
  typeof error.code === 'string'
    ? error.code
    : (/ reason: .*?\b(E[A-Z_]{3,40})\b/.exec(String(message).slice(0, 2_000))?.[1] ?? '');

/** Runs npm and returns its JSON. An exit code alone is no failure, an error in the JSON is. */
export const runNpm = async (
  context: ToolContext,
  { registries, ...call }: NpmCall,
): Promise<JsonObject> => {
  const { exitCode, stdout, stderr } = await runProgram(context, {
    program: 'npm',
    ...call,
    env: { ...ENVIRONMENT, ...(registries && registryVariables(registries)) },
    hosts: registries ? registryHosts(registries) : [],
    install: INSTALL_NPM,
  });
  if (exitCode !== 0 && REFUSED.test(stderr)) throw refused();
  const printed = readObject(stdout);
  const error = printed?.error;
  // `npm ls` reports ELSPROBLEMS when something is missing, but still lists what is installed.
  if (printed && isRecord(error) && error.code !== 'ELSPROBLEMS') {
    throw npmFailure(errorCodeOf(error, printed));
  }
  if (printed && (exitCode === 0 || stdout.trim() !== '')) return printed;
  context.logger.debug('npm failed.', { exitCode, stderr: stderr.slice(0, 2_000) });
  throw npmFailure(/npm (?:error|ERR!) code (\w+)/.exec(stderr)?.[1] ?? '');
};
