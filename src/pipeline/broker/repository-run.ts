/**
 * What a run of git gets besides the sandbox: a repository that is named and looked at before, an
 * environment in which it runs nothing of it, and attributes that keep secrets out of its output.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { RepositoryView } from '../../contract/sandbox.ts';
import type { Needs } from '../../contract/tool.ts';
import {
  findProgramSetting,
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
}

const MAX_SMALL_FILE = 1_000_000;

const unusable = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', message, { suggestions: [suggestion] });

/** The text of a small file, nothing for what is not there. Links are not followed. */
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

const assertRunsNothing = ({ gitDir, commonDir }: Repository): void => {
  const files = [join(commonDir, 'config'), join(gitDir, 'config.worktree')];
  const found = files.map((path) => findProgramSetting(textOf(path) ?? '')).find(Boolean);
  if (found === undefined) return;
  throw unusable(
    `The configuration of the repository runs programs or names further files (${found}).`,
    'Have a person look at .git/config and move that section to their own configuration.',
  );
};

/** The files of `info`, with our attributes behind those of the owner. */
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

/** A name that leads elsewhere may lead to a secret. */
const isLink = (path: string): boolean => {
  try {
    return realpathSync(path) !== path;
  } catch {
    return false;
  }
};

/**
 * The repository of the workspace. One around the workspace is for tools that name it in their needs:
 * they keep to the workspace, and other programs would take all files outside for deleted.
 */
const findRepository = (root: string, wanted: boolean): Repository | undefined => {
  const own = repositoryOf(root);
  const around = own ? undefined : enclosingRepository(root);
  if (around === undefined || wanted) return own ?? around;
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
  const said = gitUseOf(commands);
  const use = { ...said, isAlone: said.isAlone && !reads.some(isLink) };
  const wanted = wantsRepository(needs);
  if (!use.runsGit && !wanted) return { ...use, env: {}, folders: [], view: undefined };
  const repository = findRepository(root, wanted);
  const place = {
    gitDir: repository?.gitDir ?? join(root, '.git'),
    workTree: repository?.top ?? root,
  };
  const env = gitEnvironment(place);
  if (repository === undefined) return { ...use, env, folders: [], view: undefined };
  assertRunsNothing(repository);
  const folders = [...new Set([repository.commonDir, repository.gitDir])];
  // A search finds files that hold secrets empty.
  const gitAlone = use.isAlone && !use.searches.files;
  const view = use.runsGit ? { info: infoOf(repository), gitAlone } : undefined;
  return { ...use, env, folders, view };
};
