/**
 * Runs npm to find and download packages. It runs in an empty folder of its own, so that no project's
 * `.npmrc` counts, without scripts, and with no variable but those that npm needs.
 */
import { spawn } from 'node:child_process';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { findProgram, pathFolders } from '../../kit/file/find-program.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

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

/** The user's registries and proxies, and what programs need to run at all. */
const KEPT =
  /^(?:path|home|userprofile|appdata|localappdata|systemroot|comspec|pathext|te?mp|tmpdir|lang|lc_.*|https?_proxy|no_proxy|all_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|ssh_auth_sock|xdg_config_home|npm_config_.*)$/i;

const OURS: Environment = {
  npm_config_ignore_scripts: 'true',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_loglevel: 'error',
  npm_config_offline: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
  // Nobody can answer a question of git here.
  GIT_TERMINAL_PROMPT: '0',
};

const environmentFor = (env: Environment, folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name))),
  ...OURS,
  npm_config_cache: `${folder}/cache`,
});

const MAX_OUTPUT_CHARS = 8_000_000;
const MAX_MS = 300_000;

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

const late = (): ToolFailure =>
  new ToolFailure('TIMEOUT', 'The package could not be fetched in time.', {
    suggestions: ['Try again later.'],
  });

const npmPath = async (env: Environment): Promise<string> => {
  const path = await findProgram({ names: ['npm', 'npm.cmd'], folders: pathFolders(env) });
  if (path === undefined) throw missing();
  return path;
};

interface Finished {
  readonly stdout: string;
  readonly stderr: string;
}

const finished = async (path: string, call: NpmCall, env: Environment): Promise<Finished> => {
  const child = spawn(path, [...call.args], {
    cwd: call.folder,
    env: environmentFor(env, call.folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([call.signal, AbortSignal.timeout(MAX_MS)]),
    shell: path.endsWith('.cmd'),
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (texts[name].length < MAX_OUTPUT_CHARS) texts[name] += text;
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => reject(error.name === 'AbortError' ? late() : error));
    child.on('close', () => resolve());
  });
  return texts;
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
  const { stdout, stderr } = await finished(await npmPath(env), call, env);
  const reading = parseStrictJson(stdout);
  const printed = 'value' in reading ? reading.value : undefined;
  const code = errorCode(printed, stderr);
  if (code !== undefined) throw failureOf(code);
  return printed;
};
