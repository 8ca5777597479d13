/** Rules for programs that search and transform text. Several of them can run or write when asked. */
import type { ProgramRule, RuleTable } from '../program-rule.ts';

const GREP: ProgramRule = {
  flags:
    '-a -b -c -E -F -G -H -h -I -i -L -l -n -o -P -q -s -T -U -v -w -x -y -z -r --count --extended-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --line-regexp --files-with-matches --files-without-match --line-number --only-matching --quiet --no-messages --with-filename --no-filename --recursive --text',
  optional: '--color --colour',
  values: {
    '-e': 'text',
    '--regexp': 'text',
    '-m': 'number',
    '--max-count': 'number',
    '-A': 'number',
    '-B': 'number',
    '-C': 'number',
    '--after-context': 'number',
    '--before-context': 'number',
    '--context': 'number',
    '--include': 'text',
    '--exclude': 'text',
    '--exclude-dir': 'text',
    '-f': 'read',
    '--file': 'read',
  },
  operands: ['text', 'read'],
  instead: '-e --regexp -f --file',
  descends: '-r --recursive',
  takesCounts: true,
};

const AWK: ProgramRule = {
  values: { '-F': 'fixed', '-v': 'fixed' },
  operands: ['awk', 'read'],
  minOperands: 1,
};

/** `--pre`, `--hostname-bin`, `--search-zip`, `--follow` and what shows hidden files are left out. */
const RG: ProgramRule = {
  flags:
    '-c -F -H -I -i -l -n -N -o -P -p -q -S -s -U -v -w -x --count --count-matches --fixed-strings --ignore-case --invert-match --files --files-with-matches --files-without-match --line-number --no-line-number --no-heading --heading --only-matching --pcre2 --pretty --quiet --smart-case --case-sensitive --multiline --word-regexp --stats --trim --json --column --no-config --vimgrep --with-filename --no-filename --type-list --sort-files --null -0 --version',
  values: {
    '-e': 'text',
    '--regexp': 'text',
    '-g': 'filter',
    '--glob': 'filter',
    '--iglob': 'filter',
    '-t': 'word',
    '--type': 'word',
    '-T': 'word',
    '--type-not': 'word',
    '-m': 'number',
    '--max-count': 'number',
    '-A': 'number',
    '-B': 'number',
    '-C': 'number',
    '--after-context': 'number',
    '--before-context': 'number',
    '--context': 'number',
    '--max-depth': 'number',
    '-d': 'number',
    '-M': 'number',
    '-r': 'text',
    '--replace': 'text',
    '--color': 'word',
    '--sort': 'word',
  },
  operands: ['text', 'read'],
  instead: '-e --regexp --files --type-list',
};

export const TEXT_PROGRAMS: RuleTable = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RG,
  sort: {
    flags:
      '-b -c -C -d -f -g -h -i -M -m -n -R -r -s -u -V -z --numeric-sort --reverse --unique --stable --ignore-case --human-numeric-sort --version-sort --general-numeric-sort --check',
    values: {
      '-k': 'fixed',
      '--key': 'fixed',
      '-t': 'fixed',
      '--field-separator': 'fixed',
    },
    operands: ['read'],
  },
  uniq: {
    flags: '-c -D -d -i -u -z --count --repeated --unique --ignore-case',
    values: { '-f': 'number', '-s': 'number', '-w': 'number' },
    operands: ['read', 'write'],
    maxOperands: 2,
  },
  cut: {
    flags: '-n -s -z --complement --only-delimited',
    values: {
      '-d': 'text',
      '--delimiter': 'text',
      '-f': 'fixed',
      '--fields': 'fixed',
      '-c': 'fixed',
      '-b': 'fixed',
      '--output-delimiter': 'text',
    },
    operands: ['read'],
  },
  paste: { flags: '-s -z', values: { '-d': 'text' }, operands: ['read'] },
  join: {
    flags: '-i',
    values: { '-1': 'number', '-2': 'number', '-t': 'text', '-j': 'number' },
    operands: ['read'],
  },
  tr: { flags: '-c -C -d -s -t --delete --complement --squeeze-repeats', operands: ['text'] },
  column: { flags: '-t', values: { '-s': 'text', '-c': 'number' }, operands: ['read'] },
  fold: { flags: '-b -s', values: { '-w': 'number' }, operands: ['read'] },
  fmt: { flags: '-s -u', values: { '-w': 'number' }, operands: ['read'] },
  expand: { flags: '-i', values: { '-t': 'fixed' }, operands: ['read'] },
  rev: { operands: ['read'] },
  sed: {
    flags: '-n -E -r -u -z -s --quiet --silent --regexp-extended --posix --sandbox',
    values: { '-e': 'sed', '--expression': 'sed' },
    operands: ['sed', 'read'],
    instead: '-e --expression',
  },
  awk: AWK,
  jq: {
    flags:
      '-a -c -C -e -j -M -n -r -R -s -S --ascii-output --compact-output --color-output --exit-status --join-output --monochrome-output --null-input --raw-output --raw-input --slurp --sort-keys --tab',
    values: { '--indent': 'number' },
    operands: ['jq', 'read'],
    minOperands: 1,
  },
  find: {
    isWhole: true,
    flags:
      '-print -print0 -ls -prune -quit -empty -not -and -or -a -o -true -false -depth -mount -xdev -daystart -noleaf -executable -readable -writable -P',
    values: {
      '-name': 'text',
      '-iname': 'text',
      '-path': 'text',
      '-ipath': 'text',
      '-wholename': 'text',
      '-regex': 'text',
      '-iregex': 'text',
      '-regextype': 'word',
      '-type': 'fixed',
      '-maxdepth': 'number',
      '-mindepth': 'number',
      '-size': 'fixed',
      '-mtime': 'fixed',
      '-mmin': 'fixed',
      '-ctime': 'fixed',
      '-atime': 'fixed',
      '-newer': 'read',
      '-perm': 'fixed',
      '-user': 'word',
      '-links': 'fixed',
      '-printf': 'fixed',
    },
    operands: ['read'],
  },
  tar: {
    flags: '-t -v -z -j -J --list --verbose --gzip --bzip2 --xz',
    values: { '-f': 'archive', '--file': 'archive' },
    operands: ['text'],
    needs: '-t --list',
    oldBundle: /^[tvzjJ]+f?$/,
  },
  curl: {
    flags:
      '-f -g -I -i -S -s -v --compressed --fail --head --include --show-error --silent --verbose --globoff',
    values: {
      '-A': 'fixed',
      '-H': 'header',
      '--header': 'header',
      '-m': 'number',
      '--max-time': 'number',
      '--connect-timeout': 'number',
      '--url': 'url',
    },
    operands: ['url'],
  },
};
