/**
 * Refuses git commands that would reveal files with secrets past the attributes that hide their content: a
 * file named by its hash, and a search that answers yes or no.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { SandboxOutcome, SandboxTask } from '../../contract/sandbox.ts';
import { secretPathspecs } from '../../governance/paths/secret-attributes.ts';
import { sensitiveRule } from '../../governance/paths/sensitive-names.ts';
import type { RepositoryRun } from './repository-run.ts';

type Run = (
  task: Extract<SandboxTask, { readonly kind: 'command' }>,
) => Promise<Pick<SandboxOutcome, 'exitCode' | 'stdout'>>;

/** Names that cannot be the hash of a file: paths and common branches. */
const NOT_A_HASH = /^(?:HEAD|FETCH_HEAD|ORIG_HEAD|@|main|master)(?:[~^]\d*)*$|^\.{0,2}\//;

/** The hash of the empty tree, which scripts compare a first commit with, in SHA-1 and SHA-256. */
const EMPTY_TREE =
  /^(?:4b825dc642cb6eb9a060e54bf8d69288fbee4904|6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321)$/;

const denied = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', message, { suggestions: [suggestion] });

const isType = (line: string): boolean => /^(?:commit|tag|tree|blob)$/.test(line);

/**
 * Asks git for the type of object that each name means. A tag counts as what it names, because it can
 * name a file. Each name is asked as it is, too: `HEAD:` is a tree, `HEAD:^{}` is nothing.
 */
const typesOf = async (names: readonly string[], run: Run): Promise<readonly string[]> => {
  if (names.length === 0) return [];
  if (names.some((name) => name.includes('\n'))) {
    throw denied(
      'A name of the repository has a line break in it.',
      'Name the commit in one line.',
    );
  }
  const argv = ['git', 'cat-file', '--batch-check=%(objecttype)'];
  const { stdout } = await run({
    kind: 'command',
    argv,
    stdin: names.map((name) => `${name}^{}\n${name}\n`).join(''),
  });
  const lines = stdout.split('\n');
  return names.map((_name, at) => {
    const [peeled = '', plain = ''] = lines.slice(2 * at, 2 * at + 2);
    return isType(peeled) ? peeled : plain;
  });
};

const isSecret = (name: string): boolean =>
  name !== '' &&
  sensitiveRule({ above: [], below: name.split('/'), isFolder: false }) !== undefined;

/** Lists the names that a git command prints. Throws when git fails: then the answer is unknown. */
const listed = async (args: readonly string[], run: Run): Promise<readonly string[]> => {
  const argv = ['git', ...args, '--', ...secretPathspecs()];
  const { exitCode = 0, stdout } = await run({ kind: 'command', argv });
  if (exitCode !== 0) {
    throw denied(
      'It cannot be told whether the search would touch files that hold secrets.',
      'Search with rg, or with git log -G.',
    );
  }
  return stdout.split('\0').map((entry) => entry.trim());
};

/** Checks whether a commit, also of the reflog and the stash, or the index holds a secret. */
const holdsSecrets = async (commits: readonly string[], run: Run): Promise<boolean> => {
  const history = ['log', '--all', '--reflog', '-m', '--format=', '--name-only', '-z'];
  const names = await listed([...history, ...commits], run);
  return names.some(isSecret) || (await listed(['ls-files', '-z'], run)).some(isSecret);
};

/** Checks for secrets that git reads from the index in place of the working tree, where they are empty. */
const readsFromIndex = async (run: Run): Promise<boolean> =>
  (await listed(['ls-files', '-v', '-z'], run)).some(
    (entry) => !entry.startsWith('H ') && isSecret(entry.slice(2)),
  );

const assertNoAnswers = async (
  { searches }: RepositoryRun,
  commits: readonly string[],
  run: Run,
): Promise<void> => {
  if (searches.history && (await holdsSecrets(commits, run))) {
    throw denied(
      'The search would tell the content of committed files that hold secrets.',
      'Use -G instead of -S: it leaves them out.',
    );
  }
  if (!searches.files) return;
  const named = await typesOf(searches.trees, run);
  const looksIntoObjects = searches.index || commits.length > 0 || named.some(isType);
  if (looksIntoObjects ? await holdsSecrets(commits, run) : await readsFromIndex(run)) {
    throw denied(
      'The search would tell the content of committed files that hold secrets.',
      'Add -I to git grep: it leaves them out.',
    );
  }
};

/**
 * Throws for a folder by its hash: its files are then named without the folder, and what counts as a
 * secret by its folder (`.kube/config`) would be printed. The tree of a commit has all names in full.
 */
const assertWholeTrees = async (trees: readonly string[], run: Run): Promise<void> => {
  const owners = trees.map((name) => name.replace(/\^\{tree\}$/, ''));
  const types = await typesOf(owners, run);
  if (types.every((type) => type === 'commit')) return;
  throw denied(
    'A folder of the repository is named by its hash.',
    'Name the commits, and the folder as a path.',
  );
};

/** Rejects with PERMISSION_DENIED for a file by its hash, which has no name, and for such searches. */
export const assertTellsNoSecrets = async (repository: RepositoryRun, run: Run): Promise<void> => {
  const { objects, view, searches } = repository;
  if (view === undefined) return;
  const isSearch = searches.history || searches.files;
  const names = isSearch ? objects : objects.filter((name) => !NOT_A_HASH.test(name));
  const types = await typesOf(names, run);
  if (types.includes('blob')) {
    throw denied(
      'A file of the repository is named by its hash.',
      'Name it by its path, such as HEAD:src/index.ts.',
    );
  }
  await assertWholeTrees(
    names.filter((name, at) => types[at] === 'tree' && !EMPTY_TREE.test(name)),
    run,
  );
  if ((await typesOf(repository.compared, run)).includes('tree')) {
    throw denied(
      'A folder of a commit is compared by itself.',
      'Name the commits, and the folder behind them: git diff HEAD~1 HEAD -- folder.',
    );
  }
  const commits = names.filter((_name, at) => isType(types[at] ?? ''));
  if (isSearch) await assertNoAnswers(repository, commits, run);
};
