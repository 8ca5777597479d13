/**
 * Tells whether a command asks for the rights of another user. The command is parsed, so that prose
 * about sudo is prose and `FOO=1 /usr/bin/"su"do` is not.
 */
import type { ParsedScript, SyntaxNode } from 'unbash';
import {
  ESCALATING_PROGRAMS,
  namesOf,
  SHELLS,
  WRAPPING_PROGRAMS,
} from '../commands/program-tables.ts';
import type { Report } from './judge-text.ts';
import { judgeCommandWord } from './judge-url.ts';
import type { Finding } from './violation.ts';

const OTHER_USER: Finding = {
  type: 'privilege_escalation',
  severity: 'critical',
  description: 'A command asks for the rights of another user.',
  remedy: 'Run the command without sudo, doas, su or pkexec.',
};

const SET_ID: Finding = {
  type: 'privilege_escalation',
  severity: 'high',
  description: 'A command gives a program the rights of its owner.',
  remedy: 'Leave set-id bits and file capabilities alone.',
};

const PRIVILEGED: Finding = {
  type: 'privilege_escalation',
  severity: 'medium',
  description: 'A command asks for a privileged container.',
  remedy: 'Run the container without --privileged.',
};

const UNREAD: Finding = {
  type: 'injection',
  severity: 'high',
  description: 'A command is nested so deeply that nobody could read it.',
  remedy: 'Put the work into a script file, and run that.',
};

const LONG: Finding = {
  type: 'injection',
  severity: 'medium',
  description: 'A command is too long to be looked through.',
  remedy: 'Put the work into a script file, and run that.',
};

const ESCALATORS: ReadonlySet<string> = new Set(namesOf(ESCALATING_PROGRAMS));
/** Programs that run another one, and the shell's builtins that do the same. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...namesOf(WRAPPING_PROGRAMS),
  ...['exec', 'command', 'builtin'],
]);
const SHELL_NAMES: ReadonlySet<string> = new Set(namesOf(SHELLS));
const CONTAINERS: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);
const RUNS_NEXT: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

const MAX_COMMAND = 16_384;
/** The parser looks for the end of a brace from each brace on. */
const MAX_BRACES = 500;
/** Commands in commands. Together with the next two it bounds the work on hostile nesting. */
const MAX_DEPTH = 4;
const MAX_OPTIONS = 16;
const MAX_READINGS = 4;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const SET_ID_MODE = /^(?:0?[2-7][0-7]{3}|[ugoa]*[+=][rwxXt]*s[rwxXst]*)(?:,|$)/;

export interface ShellParser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void;
}

export interface Invocation {
  /** Words as they are handed to the system. */
  readonly words?: readonly string[];
  /** Text for a shell. */
  readonly text?: string;
}

const programOf = (word: string): string =>
  word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');

/**
 * Finds what a wrapper may run: the first plain word, or the next one if that may belong to an
 * option.
 */
const wrapped = (words: readonly string[]): readonly (readonly string[])[] => {
  const candidates: (readonly string[])[] = [];
  let afterOption = false;
  const end = Math.min(words.length, MAX_OPTIONS);
  for (let at = 1; at < end && candidates.length < MAX_READINGS; at++) {
    const word = words[at] as string;
    const isOption = word.startsWith('-');
    if (!isOption && !ASSIGNMENT.test(word) && !/^[\d.]+[smhd]?$/.test(word)) {
      candidates.push(words.slice(at));
      if (!afterOption) break;
    }
    // `-n1` and `--size=1` hold their value already.
    afterOption = isOption && !/[\d=]/.test(word);
  }
  return candidates;
};

export type CommandJudge = (invocation: Invocation, report: Report) => void;

/** Parses a command; `undefined` for text that the parser cannot read, or not in time. */
const parsed = (shell: ShellParser, text: string): ParsedScript | undefined => {
  if (text.split('{').length + text.split('$[').length > MAX_BRACES) return undefined;
  try {
    return shell.parse(text);
  } catch {
    return undefined;
  }
};

/** Makes a judge of commands from a parser for shell text. */
export const createCommandJudge = (shell: ShellParser): CommandJudge => {
  const judgeWords = (words: readonly string[], depth: number, report: Report): void => {
    for (const word of words) judgeCommandWord(word, report);
    judgeProgram(words, depth, report);
  };

  /** Judges what a command runs. Its words were judged: those of a wrapped command are among them. */
  const judgeProgram = (words: readonly string[], depth: number, report: Report): void => {
    if (depth > MAX_DEPTH) {
      report(UNREAD);
      return;
    }
    const start = words.findIndex((word) => !ASSIGNMENT.test(word));
    if (start < 0) return;
    const argv = words.slice(start);
    const program = programOf(argv[0] as string);
    const args = argv.slice(1);
    if (ESCALATORS.has(program)) report(OTHER_USER);
    if (program === 'setcap') report(SET_ID);
    if (program === 'chmod' && args.some((arg) => SET_ID_MODE.test(arg))) report(SET_ID);
    if (CONTAINERS.has(program) && args.some((arg) => /^--privileged(?:=|$)/.test(arg))) {
      report(PRIVILEGED);
    }
    for (const inner of innerWords(program, argv)) judgeProgram(inner, depth + 1, report);
    for (const text of innerTexts(program, args)) judgeText(text, depth + 1, report);
  };

  const judgeText = (text: string, depth: number, report: Report): void => {
    if (text.length > MAX_COMMAND) {
      report(LONG);
      return;
    }
    const script = depth > MAX_DEPTH ? undefined : parsed(shell, text);
    if (!script) {
      report(UNREAD);
      return;
    }
    // Not by recursion: function bodies nest as deep as the text is long.
    const nodes: SyntaxNode[] = [script];
    for (let node = nodes.pop(); node; node = nodes.pop()) {
      if (node.type === 'Command') {
        const words = node.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text));
        judgeWords(node.name ? [node.name.value, ...words] : [], depth, report);
      }
      shell.forEachChild(node, (child) => void nodes.push(child));
    }
  };

  return ({ words, text }: Invocation, report: Report): void => {
    if (words) judgeWords(words, 0, report);
    if (text !== undefined) judgeText(text, 0, report);
  };
};

const innerWords = (program: string, argv: readonly string[]): readonly (readonly string[])[] => {
  if (WRAPPERS.has(program)) return wrapped(argv);
  if (program !== 'find') return [];
  return argv
    .flatMap((word, at) => (RUNS_NEXT.has(word) ? [at + 1] : []))
    .slice(0, MAX_READINGS)
    .map((start) => argv.slice(start));
};

const innerTexts = (program: string, args: readonly string[]): readonly string[] => {
  if (program === 'eval') return [args.join(' ')];
  if (!SHELL_NAMES.has(program)) return [];
  const flag = args.findIndex((arg) => /^-[a-z]*c[a-z]*$/.test(arg));
  const text = flag < 0 ? undefined : args[flag + 1];
  return text === undefined ? [] : [text];
};
