/**
 * Takes the files of a commit out of a git repository. git fetches objects and lists them, and nothing is
 * checked out: no hook, filter or submodule counts. npm must not fetch from git itself, because it runs
 * `npm install` in the clone, where the repository's `.npmrc` names programs to run.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import type { PackageSource } from '../../contract/packages.ts';
import { entryPathFault } from '../../kit/archive/entry-path.ts';
import { findProgram, pathFolders } from '../../kit/file/find-program.ts';
import { visibleItem } from '../../kit/text/visible-text.ts';
import {
  type Environment,
  neededVariables,
  type ProgramOutput,
  runProgram,
} from './run-program.ts';

export interface GitDeps {
  readonly env: Environment;
}

export interface GitFetchDeps {
  /** For this fetch alone. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface GitFolder {
  /** The plain files of the commit, as written to disk. */
  readonly folder: string;
  /** The whole id of the commit. */
  readonly commit: string;
}

const MAX_FILES = 20_000;
const MAX_TREE_BYTES = 128_000_000;
const MAX_LIST_BYTES = 8_000_000;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MAYBE_COMMIT = /^[0-9a-f]{7,64}$/;

/** Overrides every configuration file; the user's credentials and proxies stay. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

const variablesFor = (env: Environment): Environment => ({
  ...neededVariables(env),
  // Failures are told apart by what git says in English.
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Not `ext` and others that run programs, wherever an address or a redirect names them.
  GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
});

const FAILURES: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /could not read username|authentication failed|permission denied|host key verification/i,
    'AUTH_MISSING',
    'The repository wants a credential.',
  ],
  [
    /couldn't find remote ref|not found|does not appear to be a git|does not exist|bad object|unadvertised|unknown revision|needed a single revision/i,
    'NOT_FOUND',
    'There is no such repository, branch, tag or commit.',
  ],
  [
    /could not resolve host|connection|failed to connect|timed out|unable to access/i,
    'NETWORK',
    'The repository could not be reached.',
  ],
];

const failureOf = ({ stderr }: ProgramOutput): ToolFailure => {
  const [, code = 'EXECUTION_FAILED' as const, message = 'git could not fetch the package.'] =
    FAILURES.find(([words]) => words.test(stderr)) ?? [];
  return new ToolFailure(code, message, {
    suggestions: ['Try the same with git fetch to see what it says.'],
  });
};

const missing = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'Packages of git need git, which is not installed.', {
    suggestions: ['Install git, or name a tarball.'],
  });

const refused = (what: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The repository was refused: ${what}.`, {
    suggestions: ['Nothing was installed. Ask the author for a package from a registry.'],
  });

type Git = (args: readonly string[], input?: string) => Promise<ProgramOutput>;

const gitIn = async (folder: string, { env }: GitDeps, signal: AbortSignal): Promise<Git> => {
  const file = await findProgram({ names: ['git', 'git.exe'], folders: pathFolders(env) });
  if (file === undefined) throw missing();
  const own = variablesFor(env);
  return async (args, input) => {
    const limit = { maxOutputBytes: args[0] === 'cat-file' ? MAX_TREE_BYTES : MAX_LIST_BYTES };
    const run = { file, args: [`--git-dir=${folder}`, ...args], cwd: folder, env: own, signal };
    return runProgram({ ...run, ...limit, ...(input !== undefined && { input }) });
  };
};

const asked = async (git: Git, args: readonly string[], input?: string): Promise<Buffer> => {
  const output = await git(args, input);
  if (output.exitCode !== 0) throw failureOf(output);
  return output.stdout;
};

const addressOf = (location: string): string =>
  location.startsWith('github:')
    ? `https://github.com/${location.slice('github:'.length)}.git`
    : location.slice('git+'.length);

/** Fetches one commit where the server gives it, and otherwise all branches and tags. */
const fetchCommit = async (
  git: Git,
  { location, version = 'HEAD' }: PackageSource,
): Promise<string> => {
  const fetch = ['fetch', '--quiet', '--no-tags'];
  const address = addressOf(location);
  const one = await git([...fetch, '--depth=1', '--', address, version]);
  const isAbbreviated = one.exitCode !== 0 && MAYBE_COMMIT.test(version);
  if (one.exitCode !== 0 && !isAbbreviated) throw failureOf(one);
  if (isAbbreviated) {
    const all = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    await asked(git, [...fetch, '--', address, ...all]);
  }
  const name = isAbbreviated ? version : 'FETCH_HEAD';
  const commit = await asked(git, ['rev-parse', '--verify', `${name}^{commit}`]);
  const id = commit.toString().trim();
  if (!COMMIT.test(id)) throw refused('its commit cannot be read');
  return id;
};

interface TreeFile {
  readonly path: string;
  readonly object: string;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

const listed = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw refused('it has a name that is not UTF-8');
  }
};

/** Lists the plain files of a commit; links and submodules are left out, as npm does. */
const filesOf = async (git: Git, commit: string): Promise<readonly TreeFile[]> => {
  const list = listed(await asked(git, ['ls-tree', '-r', '-z', '--full-tree', commit]));
  const files = list.split('\0').flatMap((line): readonly TreeFile[] => {
    const [, mode, object = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode === '100644' || mode === '100755' ? [{ path, object }] : [];
  });
  if (files.length > MAX_FILES) throw refused(`it has more than ${MAX_FILES} files`);
  for (const { path } of files) {
    const isInner = path.split('/').some((part) => part.toLowerCase() === '.git');
    const fault = isInner ? 'lies in a folder of git' : entryPathFault(path);
    if (fault !== undefined) throw refused(`${visibleItem(path)} ${fault}`);
  }
  return files;
};

/** Splits `<object> blob <size>\n<content>\n`, one for each file in order. */
const contentsOf = (files: readonly TreeFile[], output: Buffer): readonly Buffer[] => {
  let at = 0;
  return files.map(({ object, path }) => {
    const end = output.indexOf(10, at);
    const [id, kind, size] = output.subarray(at, Math.max(end, at)).toString().split(' ');
    const start = end + 1;
    const next = start + Number(size);
    if (id !== object || kind !== 'blob' || !(next < output.length)) {
      throw refused(`${visibleItem(path)} cannot be read`);
    }
    at = next + 1;
    return output.subarray(start, next);
  });
};

/** Fetches the commit that is meant and writes its files. Rejects with the reason. */
export const readGit = async (
  source: PackageSource,
  deps: GitDeps,
  { folder, signal }: GitFetchDeps,
): Promise<GitFolder> => {
  const [repository, tree] = [join(folder, 'repository'), join(folder, 'tree')];
  await mkdir(repository);
  const git = await gitIn(repository, deps, signal);
  await asked(git, ['init', '--quiet', '--bare', '--template=', repository]);
  const commit = await fetchCommit(git, source);
  const files = await filesOf(git, commit);
  const objects = files.map(({ object }) => `${object}\n`).join('');
  const contents = contentsOf(files, await asked(git, ['cat-file', '--batch'], objects));
  await mkdir(tree);
  for (const [at, { path }] of files.entries()) {
    const file = join(tree, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents[at] ?? '', { flag: 'wx' });
  }
  return { folder: tree, commit };
};
