/**
 * Decides whether a program call or a shell string may run, and runs nothing. Every part of a
 * string must be understood and allowed; absent, unknown and thrown all mean no.
 */
import { isAbsolute, resolve } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { parseAllowPattern } from './allow-pattern.ts';
import { judgeVariable } from './environment-words.ts';
import { type CommandJudge, judgeCommand } from './judge-command.ts';
import { judgePath, judgePathToken, type PathJudge } from './judge-path.ts';
import { Refusal, refuse } from './refusal.ts';
import { assertPlainText } from './shell/read-script.ts';
import { readShell } from './shell/read-shell.ts';
import type { ShellCommand, ShellStep } from './token.ts';
import { staticToken, type Token } from './token.ts';

export interface CommandGuardOptions {
  /** Patterns such as `git log *`, `npm run test:*` or `mytool **`; see `allow-pattern.ts`. */
  readonly allow: readonly string[];
  /** The folder the command is started in and stays below. Absolute. */
  readonly root: string;
  /** More names that are never written. */
  readonly protectedNames?: readonly string[];
  /** Resolves the links of an absolute path; without it the text alone is judged. */
  readonly followLinks?: (absolute: string) => string;
  /**
   * Tells whether a folder below the root is part of the root's repository; none is when absent.
   */
  readonly isInRepository?: (folder: string) => boolean;
  /** Tells whether a word of git names branches and no file in a folder; none does when absent. */
  readonly namesBranches?: (word: string, folder: string) => boolean;
}

export type CommandVerdict =
  | {
      readonly ok: true;
      /** Every program call in it; a word of unknown value is given as its source text. */
      readonly commands: readonly (readonly string[])[];
      /** Absolute paths that it names. */
      readonly reads: readonly string[];
      readonly writes: readonly string[];
      /** The folders that its commands can be in. Absolute. */
      readonly folders: readonly string[];
    }
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

export interface CommandGuard {
  /**
   * Judges a command. A list is a program with its arguments, without a shell; a string is for bash.
   * `cwd` is the folder it starts in: absolute, links followed; the root when absent.
   */
  judge(command: string | readonly string[], cwd?: string): CommandVerdict;
}

const MAX_VARIANTS = 64;
const PLAIN_NAME = /^[\w.+-]{1,40}$/;

/** Lists every combination of the values that the words of a command can have. */
const variantsOf = ({ words }: ShellCommand): readonly (readonly Token[])[] => {
  const total = words.reduce((product, word) => product * word.length, 1);
  if (total > MAX_VARIANTS) {
    refuse('A command has too many possible forms.', 'Loop over fewer values.');
  }
  return Array.from({ length: total }, (_, choice) => {
    let left = choice;
    return words.map((word) => {
      const token = word[left % word.length] as Token;
      left = Math.floor(left / word.length);
      return token;
    });
  });
};

const isFolderChange = (step: ShellStep): step is ShellCommand =>
  step.type === 'command' && step.words[0]?.some(({ text }) => text === 'cd') === true;

/**
 * Lists the folders that the commands can be in. Only the first command may change the folder, and
 * only downwards: then all others are where it started, there, or deeper.
 */
const foldersOf = (steps: readonly ShellStep[], start: string): readonly string[] => {
  const changes = steps.filter(isFolderChange);
  const [change] = changes;
  if (change === undefined) return [start];
  const target = change.words[1]?.[0];
  const isPlain = change.words.length === 2 && change.words[1]?.length === 1;
  if (changes.length > 1 || change !== steps[0] || !isPlain || target?.kind !== 'static') {
    return refuse(
      'The folder is changed midway.',
      'Start with one cd, or use paths from the root.',
    );
  }
  if (/^-|(?:^|\/)\.\.(?:\/|$)/.test(target.text)) {
    return refuse('The folder is changed upwards or back.', 'Change to a folder below the root.');
  }
  return [start, resolve(start, target.text)];
};

const judgeStep = (step: ShellStep, judge: CommandJudge): readonly string[][] => {
  if (step.type === 'redirect') {
    for (const token of step.target) judgeRedirect(token, step.access, judge.paths);
    return [];
  }
  for (const { name, value } of step.environment) judgeVariable(name, value);
  return variantsOf(step).map((argv) => {
    judgeCommand(argv, judge);
    return argv.map(({ text }) => text);
  });
};

/** Names the command of a line by its number and, where it is a plain word, its program. */
const positionOf = (step: ShellCommand, all: readonly ShellStep[]): string => {
  const commands = all.filter(({ type }) => type === 'command');
  // Only a list can be empty, and it is a single step: a command of a line has a first word.
  const [program] = step.words[0] as readonly Token[];
  const isPlain = program?.kind === 'static' && PLAIN_NAME.test(program.text);
  const name = isPlain ? ` (${program.text})` : '';
  return `Command ${commands.indexOf(step) + 1} of ${commands.length}${name}: `;
};

/** Adds to a refusal which command of the line it is about. */
const judgeSteps = (steps: readonly ShellStep[], judge: CommandJudge): readonly string[][] =>
  steps.flatMap((step) => {
    try {
      return judgeStep(step, judge);
    } catch (error) {
      if (!(error instanceof Refusal) || steps.length === 1 || step.type !== 'command') throw error;
      throw new Refusal(positionOf(step, steps) + error.message, error.remedy);
    }
  });

const judgeRedirect = (token: Token, access: 'read' | 'write', paths: PathJudge): void => {
  if (token.kind === 'static') judgePath(token.text, access, paths);
  else if (token.kind === 'stream') judgePathToken(token, access, paths);
  else refuse('A redirection leads to a file not known beforehand.', 'Name the file itself.');
};

const stepsOf = (command: string | readonly string[]): readonly ShellStep[] => {
  if (typeof command === 'string') return readShell(command);
  assertPlainText(command.join(' '));
  if (command.some((word) => typeof word !== 'string' || /[\n\t]/.test(word))) {
    refuse('An argument holds a tab or newline.', 'Keep every argument on one line.');
  }
  return [{ type: 'command', words: command.map((word) => [staticToken(word)]), environment: [] }];
};

/** Throws for an allowlist that is not valid or a root that is not absolute. */
export const createCommandGuard = (options: CommandGuardOptions): CommandGuard => {
  const { root, protectedNames = [], followLinks = (path) => path } = options;
  const { isInRepository: ownsFolder = () => false, namesBranches = () => false } = options;
  if (!isAbsolute(root)) {
    throw new ToolFailure('CONFIG_INVALID', 'The root of the command guard is not absolute.', {
      suggestions: ['Resolve the path of the workspace first.'],
    });
  }
  const patterns = options.allow.map(parseAllowPattern);
  const judge = (command: string | readonly string[], cwd: string): CommandVerdict => {
    const usedPaths = { read: new Set<string>(), write: new Set<string>() };
    const note: PathJudge['note'] = (path, access) => void usedPaths[access].add(path);
    const steps = stepsOf(command);
    const bases = foldersOf(steps, cwd);
    const paths = { root, bases, protectedNames, followLinks, namesBranches, note };
    if (cwd !== root) judgePath('.', 'read', { ...paths, bases: [cwd], note: () => undefined });
    const isAtRoot = bases.length === 1 && cwd === root;
    const isInRepository = bases.length === 1 && (isAtRoot || ownsFolder(cwd));
    const commands = judgeSteps(steps, { patterns, paths, isAtRoot, isInRepository, depth: 0 });
    const [reads, writes] = [[...usedPaths.read], [...usedPaths.write]];
    return { ok: true, commands, reads, writes, folders: bases };
  };
  return {
    judge(command, cwd = root) {
      try {
        return judge(command, cwd);
      } catch (error) {
        return error instanceof Refusal
          ? { ok: false, reason: error.message, remedy: error.remedy }
          : {
              ok: false,
              reason: 'The command could not be judged.',
              remedy: 'Write it more plainly.',
            };
      }
    },
  };
};
