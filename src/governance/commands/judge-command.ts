/**
 * Judges one program call. The allowlist decides whether it may run at all, the rules of the
 * program whether these arguments keep it harmless. Programs that run programs are judged by the
 * command inside, or refused.
 */
import { type AllowPattern, matchesPattern } from './allow-pattern.ts';
import { judgeVariable } from './environment-words.ts';
import { judgeArguments } from './judge-arguments.ts';
import { judgePathToken, type PathJudge } from './judge-path.ts';
import type { ProgramRule } from './program-rule.ts';
import { ruleOf } from './program-rules/program-rules.ts';
import {
  NEVER,
  plainProgramName,
  READS_PROGRAM,
  RUNS_PROGRAMS,
  SHELL_STATE,
} from './program-rules/refused-programs.ts';
import { refuse } from './refusal.ts';
import { staticToken, type Token } from './token.ts';

const TEXT_UNARY: readonly string[] = ['-n', '-z'];
const FILE_UNARY: readonly string[] = ['-d', '-e', '-f', '-h', '-L', '-r', '-s', '-w', '-x'];
const TEXT_BINARY: readonly string[] = ['=', '==', '!='];
const NUMBER_BINARY: readonly string[] = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'];

const unclear = (): never =>
  refuse(
    'A test uses a form that can evaluate its operands.',
    'Compare two texts or numbers, or test one file, and join tests with && outside.',
  );

const staticText = (token: Token | undefined): string =>
  token?.kind === 'static' ? token.text : '';

/**
 * Judges the arguments of `test` and `[`. Only forms whose meaning the number of arguments decides
 * are accepted: `-v` and unknown operators would evaluate array subscripts, which can run commands.
 */
const checkTest = (argv: readonly Token[], paths: PathJudge): void => {
  const isBracket = staticText(argv[0]) === '[';
  if (isBracket && staticText(argv.at(-1)) !== ']') unclear();
  const inner = argv.slice(1, isBracket ? -1 : undefined);
  const [first, ...rest] = inner;
  const terms = staticText(first) === '!' ? rest : inner;
  const [left = staticToken(''), middle, right] = terms;
  if (terms.some(({ kind }) => kind === 'glob' || kind === 'stream')) unclear();
  if (terms.length === 2 && FILE_UNARY.includes(staticText(left))) {
    return void judgePathToken(middle as Token, 'read', paths);
  }
  const isUnary = terms.length === 2 && TEXT_UNARY.includes(staticText(left));
  const isText = terms.length === 3 && TEXT_BINARY.includes(staticText(middle));
  const isNumber =
    terms.length === 3 &&
    NUMBER_BINARY.includes(staticText(middle)) &&
    [left, right].every((term) => /^-?\d+$/.test(staticText(term)) || term?.kind === 'dynamic');
  if (!isUnary && !isText && !isNumber && terms.length !== 1) unclear();
};

export interface CommandJudge {
  readonly patterns: readonly AllowPattern[];
  readonly paths: PathJudge;
  /** False once the command may have changed its folder. */
  readonly isAtRoot: boolean;
  /** True for the root, and for a folder below it that is part of no other repository. */
  readonly isInRepository: boolean;
  readonly depth: number;
}

const MAX_DEPTH = 10;
/** ASCII alone, so that nothing invisible and no look-alike can be part of it. */
const PROGRAM = /^[\w.+@/:[-]+$/;
const INPUT: Token = { text: '(input)', kind: 'dynamic', head: '' };

const programOf = (token: Token | undefined): string => {
  const name = token?.kind === 'static' ? token.text : '';
  if (!PROGRAM.test(name) || /^-|(?:^|\/)\.\.(?:\/|$)/.test(name)) {
    return refuse('The name of a program is not known or not plain.', 'Write the name itself.');
  }
  return name;
};

const judgeSubcommand = (argv: readonly Token[], rule: ProgramRule, judge: CommandJudge): void => {
  const { command } = judgeArguments(argv, rule, judge.paths);
  const [first, ...rest] = command;
  const name = first?.text ?? '';
  const { subcommands = {} } = rule;
  // `git --version` asks for nothing more.
  if (first === undefined && argv.length > 0) return;
  const inner = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (inner === undefined) {
    return void refuse('A subcommand is not known to be harmless.', 'Use another one.');
  }
  if (inner.subcommands !== undefined) return void judgeSubcommand(rest, inner, judge);
  judgeArguments(rest, inner, judge.paths);
};

const judgeRuled = (argv: readonly Token[], rule: ProgramRule, judge: CommandJudge): void => {
  if (rule.wraps !== undefined) {
    refuse('A program of this path that runs others is not known.', 'Use its plain name.');
  }
  if (rule.check === 'test') return void checkTest(argv, judge.paths);
  if (rule.subcommands !== undefined) return void judgeSubcommand(argv.slice(1), rule, judge);
  judgeArguments(argv.slice(1), rule, judge.paths);
};

/** Judges the command in a wrapper. Input that becomes arguments is a word of unknown value. */
const judgeWrapped = (argv: readonly Token[], rule: ProgramRule, judge: CommandJudge): void => {
  const command = [...judgeArguments(argv.slice(1), rule, judge.paths).command];
  for (let [next] = command; rule.setsVariables && next?.kind === 'static'; [next] = command) {
    const equals = next.text.indexOf('=');
    if (equals < 1) break;
    judgeVariable(next.text.slice(0, equals), [staticToken(next.text.slice(equals + 1))]);
    command.shift();
  }
  // Twice, because one line of input can become several words, each in another role.
  if (rule.wraps === 'command-with-input') command.push(INPUT, INPUT);
  judgeCommand(command, { ...judge, depth: judge.depth + 1 });
};

/** Notes the paths of a command that its owner allowed word by word: no rule can refuse those. */
const noteLiteralPaths = (argv: readonly Token[], rule: ProgramRule, judge: CommandJudge): void => {
  try {
    judgeRuled(argv, rule, judge);
  } catch {
    // Paths that the rule does not know are found by their names when an approval is bound.
  }
};

/** Refuses a program that would read its code from its input, even if it is allowed literally. */
const judgeLiteral = (name: string, argv: readonly Token[]): void => {
  const hasFile = argv.slice(1).some(({ text }) => !text.startsWith('-'));
  if (READS_PROGRAM.has(name) && !hasFile) {
    refuse('The program would take its code from its input.', 'Name the file it is to run.');
  }
};

const judgeMatched = (argv: readonly Token[], pattern: AllowPattern, judge: CommandJudge): void => {
  const name = plainProgramName((argv[0] as Token).text);
  const rule = ruleOf(name);
  // A folder below can hold a package.json, a Makefile or a script of the same name that nobody
  // meant. Programs without rules are taken to read such files.
  const isWhereItMay = judge.isAtRoot || (rule?.isInRepository && judge.isInRepository);
  if ((rule === undefined || rule.isAtRoot) && !isWhereItMay) {
    refuse(
      'The program trusts what its folder says, and it would not start in the workspace root.',
      'Leave cd and cwd out, or have the command set up as a task with its folder: commands.tasks.',
    );
  }
  if (pattern.isLiteral) {
    if (rule !== undefined) noteLiteralPaths(argv, rule, judge);
    return void judgeLiteral(name, argv);
  }
  if (rule !== undefined) return void judgeRuled(argv, rule, judge);
  const isFree = pattern.rest !== 'none' || pattern.isLoose;
  if (isFree && (RUNS_PROGRAMS.has(name) || READS_PROGRAM.has(name))) {
    refuse('The program can run others.', 'Have the exact command put on the allowlist.');
  }
  if (pattern.rest === 'ruled') {
    refuse('Nothing is known about the arguments of this program.', 'Have ** allowed for it.');
  }
  if (argv.some(({ kind }) => kind !== 'static')) {
    refuse('An argument is not known before the command runs.', 'Write the argument itself.');
  }
  judgeLiteral(name, argv);
};

const assertNotRefused = (name: string): void => {
  if (NEVER.has(name)) {
    refuse('The program would run as another user.', 'Do without other privileges.');
  }
  if (SHELL_STATE.has(name)) {
    refuse('The builtin runs text or changes the shell.', 'Write the command itself.');
  }
};

/** Throws a `Refusal` unless the call is allowed and harmless. */
export const judgeCommand = (argv: readonly Token[], judge: CommandJudge): void => {
  const full = programOf(argv[0]);
  const name = plainProgramName(full);
  assertNotRefused(name);
  if (judge.depth > MAX_DEPTH) refuse('Commands are wrapped too deeply.', 'Leave wrappers out.');
  const rule = full === name ? ruleOf(name) : undefined;
  if (rule?.wraps !== undefined) return void judgeWrapped(argv, rule, judge);
  const matching = judge.patterns.filter((pattern) => matchesPattern(pattern, argv));
  // The most exact pattern decides: the owner's own words win over a wildcard.
  const pattern = matching.find(({ isLiteral }) => isLiteral) ?? matching[0];
  if (pattern === undefined) {
    return void refuse(
      'The command is not on the allowlist.',
      'Use an allowed command, or have it put on the list: commands.allow or commands.tasks in your own configuration (toolcrib init --tasks adds those of the folder; docs/commands.md).',
    );
  }
  judgeMatched(argv, pattern, judge);
};
