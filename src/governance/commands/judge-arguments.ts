/**
 * Reads the arguments of a program the way the program does (bundled short options, attached and
 * separate values, the end of options) and refuses every option that its rule does not name.
 */
import { hasKind } from './check-value.ts';
import { judgePathToken, type PathJudge } from './judge-path.ts';
import type { ProgramRule, ValueKind } from './program-rule.ts';
import { refuse } from './refusal.ts';
import { isSurelyOperand, staticToken, type Token } from './token.ts';

export interface Arguments {
  readonly operands: readonly Token[];
  /** What follows the operands of a program that runs a command. */
  readonly command: readonly Token[];
}

interface Operand {
  readonly token: Token;
  /** The program cannot take the word for an option. */
  readonly isTaken: boolean;
}

interface Reader {
  readonly rule: ProgramRule;
  readonly paths: PathJudge;
  readonly flags: ReadonlySet<string>;
  readonly options: Set<string>;
  readonly rest: Token[];
  readonly isTaken: boolean;
}

const badOption = (): never =>
  refuse(
    'An option is not among those known to be harmless.',
    'Leave it out, or spell it in full as the documentation does.',
  );

const badValue = (): never =>
  refuse(
    'An argument may have an effect beyond what its program is allowed to do.',
    'Write the argument itself, and put -- before it if it starts with a dash.',
  );

const judgeValue = (token: Token, kind: ValueKind, reader: Reader): void => {
  const isSafe = reader.isTaken || isSurelyOperand(token);
  if (token.kind === 'glob') {
    if (!isSafe) {
      refuse('A file pattern may match a name that is an option.', 'Start the pattern with ./');
    }
    judgePathToken(token, kind === 'write' ? 'write' : 'read', reader.paths);
  } else if (kind === 'read' || kind === 'write') judgePathToken(token, kind, reader.paths);
  else if (token.kind === 'static') {
    if (!hasKind(token.text, kind, reader.paths)) badValue();
  } else if (kind !== 'any' && !(kind === 'text' && isSafe)) badValue();
};

const kindOf = (name: string, { rule }: Reader): ValueKind | undefined =>
  rule.values !== undefined && Object.hasOwn(rule.values, name) ? rule.values[name] : undefined;

/** Judges the next word as the value of an option. A pattern could become several words. */
const takeValue = (kind: ValueKind, reader: Reader): void => {
  const value = reader.rest.shift();
  if (value === undefined || value.kind === 'glob') return void badOption();
  judgeValue(value, kind, reader);
};

const readBundle = (text: string, reader: Reader): void => {
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    reader.options.add(name);
    if (reader.flags.has(name)) continue;
    const kind = kindOf(name, reader) ?? badOption();
    const attached = text.slice(at + 1);
    if (attached === '') takeValue(kind, reader);
    else judgeValue(staticToken(attached), kind, reader);
    return;
  }
};

const readOption = (text: string, reader: Reader): void => {
  const { rule, flags } = reader;
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  reader.options.add(name);
  if (flags.has(text)) return;
  const kind = kindOf(name, reader);
  if (kind !== undefined && name === text) return void takeValue(kind, reader);
  if (text.startsWith('--') || rule.isWhole) {
    if (flags.has(`${name}[=]`)) return;
    return void judgeValue(staticToken(text.slice(equals + 1)), kind ?? badOption(), reader);
  }
  if (!(rule.takesCounts && /^-\d+$/.test(text))) readBundle(text, reader);
};

const listed = (names: string | undefined): readonly string[] =>
  names === undefined ? [] : names.split(' ');

const isGiven = (names: string | undefined, { options }: Reader): boolean =>
  listed(names).some((name) => options.has(name));

/** Refuses a search of the whole root: most files with secrets are directly in it. */
const judgeDescent = (folders: readonly Operand[]): void => {
  if (folders.length === 0 || folders.some(({ token }) => /^[./]*$/.test(token.text))) {
    refuse(
      'The whole workspace would be searched, secrets included.',
      'Name a folder in it, or use rg.',
    );
  }
};

const judgeOperands = (operands: readonly Operand[], reader: Reader): void => {
  const { rule } = reader;
  const { operands: kinds = [], minOperands = 0 } = rule;
  const { maxOperands = Number.POSITIVE_INFINITY } = rule;
  if (operands.length < minOperands || operands.length > maxOperands) {
    refuse('A program has too few or too many arguments.', 'Give the arguments it needs.');
  }
  const skipped = isGiven(rule.instead, reader) ? 1 : 0;
  operands.forEach(({ token, isTaken }, index) => {
    const kind = kinds[Math.min(index + skipped, kinds.length - 1)] ?? badValue();
    judgeValue(token, kind, { ...reader, isTaken });
  });
  const needs = rule.needs ?? (operands.length > 0 ? rule.needsWithOperands : undefined);
  if (needs !== undefined && !isGiven(needs, reader)) {
    refuse('A program lacks an option that keeps it harmless.', `Add one of: ${needs}.`);
  }
  if (isGiven(rule.descends, reader)) judgeDescent(operands.slice(1 - skipped));
};

/** Counts the operands before the command or subcommand that the program runs. */
const operandsBefore = (rule: ProgramRule): number => {
  if (rule.subcommands !== undefined) return 0;
  return rule.wraps === undefined ? Number.POSITIVE_INFINITY : (rule.operands ?? []).length;
};

/** Puts the missing dash before a bundle, in which only the last letter may take a value. */
const dashed = (argv: readonly Token[], rule: ProgramRule): Token[] => {
  const [first, ...rest] = argv;
  if (rule.oldBundle === undefined || !first || !isSurelyOperand(first)) return [...argv];
  return rule.oldBundle.test(first.text) ? [staticToken(`-${first.text}`), ...rest] : badOption();
};

/** Recognizes `--include=*.ts`, unquoted: it can only become more options of the same name. */
const isPatternOption = ({ kind, head }: Token, reader: Reader): boolean =>
  kind === 'glob' && /^--[a-z-]+=$/.test(head) && kindOf(head.slice(0, -1), reader) === 'text';

const openReader = (argv: readonly Token[], rule: ProgramRule, paths: PathJudge): Reader => {
  const optional = listed(rule.optional);
  const flags = new Set([...listed(rule.flags), ...optional, ...optional.map((n) => `${n}[=]`)]);
  return { rule, paths, flags, options: new Set(), rest: dashed(argv, rule), isTaken: true };
};

/** Throws a `Refusal` unless the rule accepts every argument. */
export const judgeArguments = (
  argv: readonly Token[],
  rule: ProgramRule,
  paths: PathJudge,
): Arguments => {
  const reader = openReader(argv, rule, paths);
  const operands: Operand[] = [];
  const before = operandsBefore(rule);
  let isTaken = rule.isPlain === true;
  for (let token = reader.rest[0]; token !== undefined; token = reader.rest[0]) {
    const isOperand = isTaken || token.kind !== 'static' || isSurelyOperand(token);
    if (isOperand && operands.length >= before) break;
    reader.rest.shift();
    if (isPatternOption(token, reader)) continue;
    if (isOperand) operands.push({ token, isTaken });
    else if (token.text === '--') isTaken = true;
    else readOption(token.text, reader);
  }
  judgeOperands(operands, reader);
  return { operands: operands.map(({ token }) => token), command: reader.rest };
};
