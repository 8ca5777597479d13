/** All rules of programs by the name of the program. */
import type { ProgramRule } from '../program-rule.ts';
import { COREUTILS } from './coreutils.ts';
import { GIT } from './git.ts';
import { PACKAGE_MANAGERS } from './package-managers.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';
import { WRAPPERS } from './wrappers.ts';

const TABLES = [COREUTILS, TEXT_PROGRAMS, GIT, PACKAGE_MANAGERS, WRAPPERS] as const;

/** `undefined` when nothing is known about a program. */
export const ruleOf = (program: string): ProgramRule | undefined => {
  const table = TABLES.find((rules) => Object.hasOwn(rules, program));
  return table?.[program];
};
