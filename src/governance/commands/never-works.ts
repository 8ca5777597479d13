/** Finds patterns of an allowlist that no command can ever pass by, so that their owner hears of it. */
import { parseAllowPattern } from './allow-pattern.ts';
import { ruleOf } from './program-rules/program-rules.ts';
import {
  NEVER,
  plainProgramName,
  READS_PROGRAM,
  RUNS_PROGRAMS,
  SHELL_STATE,
} from './program-rules/refused-programs.ts';

const EXACTLY =
  'write the exact command, such as "npm run build", or set up a task: commands.tasks';

/** Why nothing passes by the pattern and what to write instead; nothing where something can. */
export const neverWorks = (text: string): string | undefined => {
  const { words, rest, isLoose, isLiteral } = parseAllowPattern(text);
  const name = plainProgramName(words[0] as string);
  if (NEVER.has(name)) return 'it would run as another user; take it off the list';
  if (SHELL_STATE.has(name)) return 'it runs text or changes the shell; take it off the list';
  if (isLiteral || ruleOf(name) !== undefined) return undefined;
  const runsOthers = RUNS_PROGRAMS.has(name) || READS_PROGRAM.has(name);
  if (runsOthers && (rest !== 'none' || isLoose)) {
    return `${name} can run other programs, so no wildcard stands for its arguments; ${EXACTLY}`;
  }
  if (rest !== 'ruled') return undefined;
  return `nothing is known about the arguments of ${name}; ${EXACTLY}, or end the pattern with **`;
};
