/**
 * Rules for programs that run a command given as their arguments and add nothing of their own: what
 * counts is the command inside.
 */
import type { ProgramRule, RuleTable } from '../program-rule.ts';

const TIMEOUT: ProgramRule = {
  flags: '-v --foreground --preserve-status --verbose',
  values: { '-k': 'number', '-s': 'word', '--kill-after': 'number', '--signal': 'word' },
  operands: ['number'],
  wraps: 'command',
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
};
