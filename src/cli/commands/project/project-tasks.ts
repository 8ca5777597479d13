/** Finds the tests, builds and git commands of a folder, as entries of `commands` in a configuration. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compact } from '../../../kit/data/compact.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Environment } from '../../io.ts';

export interface Task {
  readonly run: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly hosts?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProjectCommands {
  readonly allow: readonly string[];
  readonly tasks: readonly Task[];
}

/** Larger manifests are not read: nobody writes them by hand. */
const MAX_FILE_BYTES = 1_000_000;

const readText = (file: string): string => {
  try {
    const { size } = statSync(file);
    return size > MAX_FILE_BYTES ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const packageTasks = (folder: string): readonly Task[] => {
  let pack: unknown;
  try {
    pack = JSON.parse(readText(join(folder, 'package.json')));
  } catch {
    return [];
  }
  if (!isRecord(pack)) return [];
  const scripts = isRecord(pack.scripts) ? pack.scripts : {};
  const packages = [pack.dependencies, pack.devDependencies].filter(isRecord);
  return [
    ...(typeof scripts.test === 'string' ? [{ run: 'npm test' }] : []),
    ...(typeof scripts.build === 'string' ? [{ run: 'npm run build' }] : []),
    ...(packages.some((group) => Object.hasOwn(group, 'vitest'))
      ? [{ run: 'npx vitest run' }]
      : []),
  ];
};

const makeTasks = (folder: string): readonly Task[] => {
  const names = ['Makefile', 'makefile', 'GNUmakefile'];
  const name = names.find((file) => existsSync(join(folder, file)));
  if (name === undefined) return [];
  const hasTest = /^test\s*:(?!=)/m.test(readText(join(folder, name)));
  return [{ run: 'make' }, ...(hasTest ? [{ run: 'make test' }] : [])];
};

/** Lists the folders of a toolchain that exist in the user's home. */
const homeFolders = (env: Environment, names: readonly string[]): readonly string[] =>
  env.HOME === undefined || env.HOME === ''
    ? []
    : names.map((name) => join(env.HOME ?? '', name)).filter((path) => existsSync(path));

const PYTHON_FILES = ['pyproject.toml', 'pytest.ini', 'setup.py', 'tox.ini'];
/** Folders of version managers, which hold one folder for each interpreter. Only these are granted. */
const PYTHON_HOMES = ['.pyenv/versions', '.local/share/uv/python'];

/** Finds the folder of an interpreter that the sandbox does not show; `undefined` for the system's. */
const interpreterHome = (python: string, env: Environment): string | undefined => {
  try {
    const prefix = dirname(dirname(realpathSync(python)));
    const homes = homeFolders(env, PYTHON_HOMES).map((path) => realpathSync(path));
    return homes.some((home) => dirname(prefix) === home) ? prefix : undefined;
  } catch {
    return undefined;
  }
};

/** Lists the tests of a Python project; prefers the pytest of its virtual environment, which has its packages. */
const pythonTasks = (folder: string, env: Environment): readonly Task[] => {
  if (!PYTHON_FILES.some((name) => existsSync(join(folder, name)))) return [];
  const venv = ['.venv', 'venv'].find((name) => existsSync(join(folder, name, 'bin', 'pytest')));
  if (venv === undefined) return [{ run: 'pytest -q' }];
  const home = interpreterHome(join(folder, venv, 'bin', 'python'), env);
  return [{ run: `${venv}/bin/pytest -q`, ...(home !== undefined && { read: [home] }) }];
};

const cargoTasks = (folder: string, env: Environment): readonly Task[] => {
  if (!existsSync(join(folder, 'Cargo.toml'))) return [];
  const [cargo] = homeFolders(env, ['.cargo']);
  if (cargo === undefined) return [{ run: 'cargo test' }];
  const [rustup] = homeFolders(env, ['.rustup']);
  const write = homeFolders(env, ['.cargo/registry']);
  return [
    {
      run: 'cargo test',
      read: [cargo, ...(rustup === undefined ? [] : [rustup])],
      ...(write.length > 0 && { write }),
      env: {
        PATH: `${join(cargo, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
        CARGO_HOME: cargo,
        ...(rustup !== undefined && { RUSTUP_HOME: rustup }),
      },
    },
  ];
};

const goTasks = (folder: string, env: Environment): readonly Task[] => {
  if (!existsSync(join(folder, 'go.mod'))) return [];
  const [modules] = homeFolders(env, ['go/pkg/mod']);
  const [cache] = homeFolders(env, ['.cache/go-build']);
  return [
    {
      run: 'go test ./...',
      ...(modules !== undefined && { read: [modules] }),
      ...(cache !== undefined && { write: [cache] }),
      ...((modules ?? cache) !== undefined && {
        env: compact({ GOMODCACHE: modules, GOCACHE: cache }),
      }),
    },
  ];
};

/** These change nothing but the repository; the rules for git judge their arguments. */
const GIT_PATTERNS = ['git status', 'git diff *', 'git log *', 'git add *', 'git commit *'];

const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/;
const BRANCH = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

/** Offers to push the checked-out branch when its remote uses HTTPS. */
const pushTask = (folder: string): readonly Task[] => {
  const config = readText(join(folder, '.git', 'config'));
  const origin = /\[remote "origin"\]([^[]*)/.exec(config)?.[1] ?? '';
  const url = /^\s*url\s*=\s*(\S+)\s*$/m.exec(origin)?.[1] ?? '';
  const branch = /^ref: refs\/heads\/(\S+)/.exec(readText(join(folder, '.git', 'HEAD')))?.[1] ?? '';
  if (!URL.canParse(url) || !BRANCH.test(branch)) return [];
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' || !HOST.test(hostname)) return [];
  return [{ run: `git push origin ${branch}`, hosts: [hostname] }];
};

/** Lists the commands to offer for a folder. Runs nothing; files are read as data. */
export const projectCommands = (folder: string, env: Environment): ProjectCommands => {
  const hasGit = existsSync(join(folder, '.git', 'HEAD'));
  return {
    allow: hasGit ? GIT_PATTERNS : [],
    tasks: [
      ...packageTasks(folder),
      ...pythonTasks(folder, env),
      ...cargoTasks(folder, env),
      ...goTasks(folder, env),
      ...makeTasks(folder),
      ...(hasGit ? pushTask(folder) : []),
    ],
  };
};
