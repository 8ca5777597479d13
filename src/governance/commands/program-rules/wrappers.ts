/**
 * Rules for programs that run a command given as their arguments and add nothing of their own: what
 * counts is the command inside. Also the package managers, as far as they run named scripts.
 */
import type { ProgramRule, RuleTable } from '../program-rule.ts';

const TIMEOUT: ProgramRule = {
  flags: '-v --foreground --preserve-status --verbose',
  values: { '-k': 'number', '-s': 'word', '--kill-after': 'number', '--signal': 'word' },
  operands: ['number'],
  wraps: 'command',
};

const SCRIPTS: ProgramRule = { flags: '-s --silent', operands: ['word'], least: 1, most: 1 };
const LISTING: ProgramRule = {
  flags: '-a --all --json --long',
  values: { '--depth': 'number' },
  operands: ['word'],
};

const PACKAGES: ProgramRule = {
  flags: '-v --version -s --silent',
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

export const WRAPPERS: RuleTable = {
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
  npm: PACKAGES,
  pnpm: PACKAGES,
  yarn: PACKAGES,
};
