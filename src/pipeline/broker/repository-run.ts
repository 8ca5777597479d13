/**
 * Prepares a run of git: a repository that is named and checked before, an environment in which git runs
 * nothing of it, and attributes that keep secrets out of its output.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { Needs } from '../../contract/needs.ts';
import type { RepositoryView } from '../../contract/sandbox.ts';
import {
  findProgramSetting,
  findTrustSetting,
  gitEnvironment,
} from '../../governance/commands/git/git-environment.ts';
import { type GitUse, gitUseOf } from '../../governance/commands/git/git-use.ts';
import {
  enclosingRepository,
  type Repository,
  repositoryOf,
  wantsRepository,
} from '../../governance/paths/find-repository.ts';
import { secretAttributes } from '../../governance/paths/secret-attributes.ts';
import type { AllowedProgram } from './judge-program.ts';

export interface RepositoryRun extends GitUse {
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the repository to be granted; some lie outside the workspace. */
  readonly folders: readonly string[];
  readonly view: RepositoryView | undefined;
  /** A setting of the repository that weakens the check of hosts: no credential is sent then. */
  readonly trustSetting?: string | undefined;
}

const MAX_SMALL_FILE = 1_000_000;

const unusable = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', message, { suggestions: [suggestion] });

/** Reads a small file; returns nothing when it is not there. Does not follow links. */
const textOf = (path: string): string | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > MAX_SMALL_FILE) {
    throw unusable(
      'A file of the repository is not what it should be.',
      'Have a person look at .git/config and .git/info.',
    );
  }
  return readFileSync(path, 'utf8');
};

/**
 * Reads the configuration files of a repository, each by itself, as git does: the end of one says
 * nothing about the next.
 */
const configsOf = ({ gitDir, commonDir }: Repository): readonly string[] =>
  [join(commonDir, 'config'), join(gitDir, 'config.worktree')].map((path) => textOf(path) ?? '');

type Find = typeof findProgramSetting;

const firstOf = (configs: readonly string[], find: Find): string | undefined =>
  configs.map(find).find((setting) => setting !== undefined);

const assertRunsNothing = (configs: readonly string[]): void => {
  const setting = firstOf(configs, findProgramSetting);
  if (setting === undefined) return;
  throw unusable(
    `The configuration of the repository runs programs or names further files (${setting}).`,
    'Have a person look at .git/config and move that section to their own configuration.',
  );
};

/** Reads the files of `info`, with our attributes after those of the owner. */
const infoOf = ({ commonDir }: Repository): RepositoryView['info'] => {
  const path = join(commonDir, 'info');
  // A sandbox lays its own folder over this one, so there has to be one.
  mkdirSync(path, { recursive: true });
  const names = readdirSync(path).filter((name) => lstatSync(join(path, name)).isFile());
  const own = Object.fromEntries(names.map((name) => [name, textOf(join(path, name)) ?? '']));
  return {
    path,
    files: { ...own, attributes: `${own.attributes ?? ''}\n${secretAttributes()}` },
  };
};

/** Recognises a link, which may lead to a secret. */
const isLink = (path: string): boolean => {
  try {
    return realpathSync(path) !== path;
  } catch {
    return false;
  }
};

/**
 * Finds the repository of the workspace. One around the workspace is for tools that name it in their
 * needs: they keep to the workspace, and other programs would take all files outside for deleted.
 */
const findRepository = (root: string, needed: boolean): Repository | undefined => {
  const own = repositoryOf(root);
  const around = own ? undefined : enclosingRepository(root);
  if (around === undefined || needed) return own ?? around;
  throw unusable(
    'The workspace is a folder of a larger repository.',
    'Use the tool git, which keeps to the workspace, or open the workspace at the top of the repository.',
  );
};

/** Rejects with PRECONDITION_FAILED for a repository whose configuration runs programs. */
export const repositoryRun = (
  { commands, reads }: Pick<AllowedProgram, 'commands' | 'reads'>,
  root: string,
  needs: Needs = {},
): RepositoryRun => {
  const gitUse = gitUseOf(commands);
  const use = { ...gitUse, isAlone: gitUse.isAlone && !reads.some(isLink) };
  const isNeeded = wantsRepository(needs);
  if (!use.runsGit && !isNeeded) return { ...use, env: {}, folders: [], view: undefined };
  const repository = findRepository(root, isNeeded);
  const env = gitEnvironment({
    gitDir: repository?.gitDir ?? join(root, '.git'),
    workTree: repository?.top ?? root,
  });
  if (repository === undefined) return { ...use, env, folders: [], view: undefined };
  const configs = configsOf(repository);
  assertRunsNothing(configs);
  const folders = [...new Set([repository.commonDir, repository.gitDir])];
  // Not for a search of files: it must see files with secrets as empty.
  const gitAlone = use.isAlone && !use.searches.files;
  const view = use.runsGit ? { info: infoOf(repository), gitAlone } : undefined;
  return { ...use, env, folders, view, trustSetting: firstOf(configs, findTrustSetting) };
};
