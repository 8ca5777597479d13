/** All rules of programs by the name of the program. */
import type { ProgramRule, RuleTable } from '../program-rule.ts';
import { COREUTILS } from './coreutils.ts';
import { GIT } from './git.ts';
import { PACKAGE_MANAGERS } from './package-managers.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';

/**
 * Rules for programs that run a command given as their arguments and add nothing of their own: what
 * counts is the command inside.
 */
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

/** `undefined` when nothing is known about a program. */
export const ruleOf = (program: string): ProgramRule | undefined => {
  const table = TABLES.find((rules) => Object.hasOwn(rules, program));
  return table?.[program];
};
