/** The rules of all programs by name, with those of package managers and wrappers. */
import type { ProgramRule, RuleTable } from '../program-rule.ts';
import { COREUTILS } from './coreutils.ts';
import { GIT } from './git.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';

/**
 * Package managers run named scripts and reports; npm also installs packages of the registry. Left out
 * on purpose: other folders (--prefix, -C, -g, -w), other registries, shells, options for Node, and
 * everything that would run scripts of packages.
 */
const SCRIPTS: ProgramRule = {
  flags: '-s --silent',
  operands: ['word'],
  minOperands: 1,
  maxOperands: 1,
};
const LISTING: ProgramRule = {
  flags: '-a --all --json --long',
  values: { '--depth': 'number' },
  operands: ['word'],
};

const PACKAGES: ProgramRule = {
  flags: '-v --version -s --silent',
  isAtRoot: true,
  subcommands: {
    run: SCRIPTS,
    'run-script': SCRIPTS,
    test: { flags: '-s --silent --coverage', operands: ['text'] },
    ls: LISTING,
    list: LISTING,
    outdated: { flags: '--json --long' },
    view: { flags: '--json', operands: ['word'] },
    why: { operands: ['word'] },
    audit: { flags: '--json' },
  },
};

/** Packages may come with scripts that run when they are installed. */
const INSTALL: ProgramRule = {
  flags:
    '-s --silent --json --audit --no-audit --fund --no-fund --progress --no-progress --package-lock --package-lock-only --dry-run --ignore-scripts --save --save-dev --save-prod --save-optional --save-exact --no-save -S -D -P -O -E --legacy-peer-deps --prefer-offline --offline',
  values: { '--omit': 'dependencies', '--include': 'dependencies' },
  operands: ['package'],
  needs: '--ignore-scripts',
};

const NPM: ProgramRule = {
  ...PACKAGES,
  subcommands: {
    ...PACKAGES.subcommands,
    install: INSTALL,
    ci: {
      flags: '-s --silent --json --no-audit --no-fund --no-progress --ignore-scripts --dry-run',
      values: { '--omit': 'dependencies', '--include': 'dependencies' },
      needs: '--ignore-scripts',
    },
  },
};

const PACKAGE_MANAGERS: RuleTable = { npm: NPM, pnpm: PACKAGES, yarn: PACKAGES };

/** Wrappers add nothing of their own, so the command in their arguments is judged. */
const TIMEOUT: ProgramRule = {
  flags: '-v --foreground --preserve-status --verbose',
  values: { '-k': 'number', '-s': 'word', '--kill-after': 'number', '--signal': 'word' },
  operands: ['number'],
  wraps: 'command',
};

const WRAPPERS: RuleTable = {
  env: { wraps: 'command', setsVariables: true },
  timeout: TIMEOUT,
  nice: { values: { '-n': 'number', '--adjustment': 'number' }, wraps: 'command' },
  ionice: { flags: '-t', values: { '-c': 'number', '-n': 'number' }, wraps: 'command' },
  stdbuf: {
    values: { '-i': 'word', '-o': 'word', '-e': 'word' },
    wraps: 'command',
  },
  time: { flags: '-p -v', wraps: 'command' },
  xargs: {
    flags: '-0 -r -t --null --no-run-if-empty --verbose',
    values: { '-n': 'number', '-L': 'number', '-P': 'number', '-s': 'number', '-d': 'text' },
    wraps: 'command-with-input',
  },
};

const TABLES = [COREUTILS, TEXT_PROGRAMS, GIT, PACKAGE_MANAGERS, WRAPPERS] as const;

/** Gives the rule of a program; `undefined` for a program without one. */
export const ruleOf = (program: string): ProgramRule | undefined => {
  const table = TABLES.find((rules) => Object.hasOwn(rules, program));
  return table?.[program];
};
