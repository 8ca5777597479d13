/**
 * Rules for git. Left out on purpose: -c, -C, --exec-path and aliases; everything that runs a
 * program it is told (--ext-diff, --textconv, --upload-pack, -O, --exec, bisect run, submodule
 * foreach, filter-branch, difftool), writes a file it is told (--output), changes configuration,
 * prints files that count as binary because they hold secrets (--binary, --text), or says how much of
 * another file is like them (-C).
 */
import type { ProgramRule, RuleTable } from '../program-rule.ts';

const DIFF_FLAGS =
  '-p -u -s -w -b -z -R --patch --no-patch --stat --shortstat --numstat --name-only --name-status --summary --raw --patch-with-stat --cached --staged --minimal --patience --histogram --word-diff --no-color --ignore-all-space --ignore-space-change --ignore-blank-lines --exit-code --quiet --no-ext-diff --no-textconv --full-index --check --no-renames --merge-base';
const DIFF_OPTIONAL =
  '--color --stat --word-diff --find-renames --diff-filter --abbrev --unified --diff-algorithm --relative -M';
const DIFF_VALUES = { '-U': 'number', '-G': 'text', '-S': 'text' } as const;

const LOG: ProgramRule = {
  flags: `${DIFF_FLAGS} --oneline --graph --all --decorate --no-decorate --merges --no-merges --first-parent --reverse --follow --branches --tags --remotes --abbrev-commit --date-order --topo-order --left-right --cherry-pick --simplify-by-decoration -i -E -F -c -m`,
  optional: `${DIFF_OPTIONAL} --decorate --format --pretty --date --author --committer --grep --since --until --after --before --max-count --skip`,
  values: {
    ...DIFF_VALUES,
    '-n': 'number',
    '--author': 'text',
    '--grep': 'text',
    '--since': 'text',
    '--until': 'text',
    '--after': 'text',
    '--before': 'text',
    '--max-count': 'number',
    '--skip': 'number',
    '--date': 'text',
  },
  operands: ['revision'],
  takesCounts: true,
};

const LOOKING: RuleTable = {
  status: {
    flags:
      '-s -b -v -z --short --branch --long --show-stash --ignored --verbose --ahead-behind -u -uno -uall -unormal',
    optional: '--porcelain --untracked-files --column --ignored',
    operands: ['revision'],
  },
  diff: {
    flags: DIFF_FLAGS,
    optional: DIFF_OPTIONAL,
    values: DIFF_VALUES,
    operands: ['revision'],
  },
  log: LOG,
  show: LOG,
  shortlog: {
    flags: '-s -n -e --summary --numbered --email --all --no-merges',
    optional: '--since --until --format',
    operands: ['revision'],
  },
  branch: {
    flags: '-a -r -v -vv -l --all --remotes --verbose --list --show-current --no-color',
    optional: '--color --contains --merged --no-merged',
    values: { '--sort': 'fields', '--format': 'fields' },
    operands: ['text'],
    needsWithOperands: '-a -r -l --all --remotes --list --contains --merged --no-merged',
  },
  tag: {
    flags: '-l --list -a --annotate',
    optional: '--contains --points-at --merged',
    values: {
      '--sort': 'fields',
      '--format': 'fields',
      '--contains': 'revision',
      '--points-at': 'revision',
      '-m': 'text',
      '--message': 'text',
    },
    operands: ['text', 'revision'],
    needsWithOperands: '-l --list -m --message',
  },
  remote: { flags: '-v --verbose' },
  'rev-parse': {
    flags:
      '--show-toplevel --show-prefix --show-cdup --git-dir --is-inside-work-tree --is-bare-repository --verify --quiet -q --symbolic --symbolic-full-name --all',
    optional: '--short --abbrev-ref',
    operands: ['revision'],
  },
  'rev-list': { ...LOG, flags: `${LOG.flags} --count --objects --parents` },
  'merge-base': { flags: '-a --all --is-ancestor --fork-point', operands: ['revision'] },
  describe: {
    flags: '--tags --all --long --always --dirty --contains',
    optional: '--abbrev --match --dirty',
    operands: ['revision'],
  },
  blame: {
    flags: '-w -s -e -l -t -f -n -M --show-email --porcelain --line-porcelain',
    optional: '--since --date',
    values: { '-L': 'fixed' },
    operands: ['revision'],
  },
  'ls-files': {
    flags:
      '-c -d -m -o -s -t -u -v -z --cached --deleted --modified --others --stage --unmerged --exclude-standard --full-name --error-unmatch --directory',
    operands: ['revision'],
  },
  'ls-tree': {
    flags: '-r -t -d -l -z --name-only --name-status --full-tree --full-name --long',
    operands: ['revision'],
  },
  'cat-file': { flags: '-t -s -e -p', operands: ['revision'], maxOperands: 2 },
  'show-ref': { flags: '--heads --tags --head --hash -s -d -q --verify', operands: ['text'] },
  'name-rev': { flags: '--tags --name-only --all', operands: ['revision'] },
  reflog: {},
  grep: {
    flags:
      '-i -I -w -v -h -H -l -L -n -c -E -F -G -P -o -q -p -W --cached --count --name-only --line-number --ignore-case --word-regexp --extended-regexp --fixed-strings --perl-regexp --files-with-matches --heading --break --column',
    values: { '-e': 'text', '-A': 'number', '-B': 'number', '-C': 'number', '-m': 'number' },
    operands: ['text', 'revision'],
    instead: '-e',
  },
  stash: {
    subcommands: {
      list: LOG,
      show: LOG,
      push: {
        flags: '-q --quiet',
        values: { '-m': 'text', '--message': 'text' },
        operands: ['revision'],
      },
      pop: { flags: '-q --quiet --index', operands: ['revision'], maxOperands: 1 },
    },
  },
  worktree: { subcommands: { list: { flags: '--porcelain -v' } } },
  version: {},
};

const CHANGING: RuleTable = {
  add: {
    flags: '-A -u -n -v -N --all --update --dry-run --verbose --intent-to-add',
    operands: ['revision'],
  },
  commit: {
    flags:
      '-a -q -v -s --all --quiet --verbose --signoff --amend --no-edit --allow-empty --dry-run',
    values: { '-m': 'text', '--message': 'text' },
    operands: ['revision'],
    needs: '-m --message --no-edit --dry-run',
  },
  switch: { flags: '-q --quiet --detach', values: { '-c': 'word' }, operands: ['revision'] },
  restore: {
    flags: '-q -S -W --staged --worktree --quiet',
    values: { '-s': 'revision', '--source': 'revision' },
    operands: ['revision'],
  },
  checkout: { flags: '-q --quiet', values: { '-b': 'word' }, operands: ['revision'] },
  reset: { flags: '-q --quiet --soft --mixed --hard', operands: ['revision'] },
  fetch: {
    flags: '-q -v -p --all --prune --no-prune --tags --quiet --dry-run',
    values: { '--refmap': 'empty' },
    operands: ['remote', 'refspec'],
  },
  pull: { flags: '-q -v --ff-only --quiet --no-rebase', operands: ['remote', 'refspec'] },
  push: {
    flags: '-q -v -u -n --quiet --dry-run --set-upstream --tags --no-follow-tags',
    operands: ['remote', 'refspec'],
  },
  merge: {
    flags: '-q --quiet --ff-only --no-ff --abort --no-edit --squash',
    values: { '-m': 'text' },
    operands: ['revision'],
  },
};

export const GIT: RuleTable = {
  git: {
    flags: '--no-pager -P --version --no-optional-locks --literal-pathspecs',
    subcommands: { ...LOOKING, ...CHANGING },
    isAtRoot: true,
    // The repository is named to git, so that a folder of it is as good as its top.
    isInRepository: true,
  },
};
