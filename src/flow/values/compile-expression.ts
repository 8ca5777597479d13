/**
 * Compiles CEL over `input`, `steps`, `caller` and `item`, once. Names and types are checked then;
 * every evaluation is bounded, and what it gives is JSON.
 */
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { ToolFailure } from '../../contract/errors.ts';
import {
  boundedEnvironment,
  LinearPatterns,
  type Prepared,
} from '../../governance/policy/condition/cel-environment.ts';
import { badCondition } from '../../governance/policy/condition/compile-condition.ts';
import { prepareCondition, Refusal } from '../../governance/policy/condition/prepare-condition.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { repetitionsOf } from './operation-cost.ts';
import { plainValue } from './plain-value.ts';
import type { Reference } from './reference.ts';
import { SCOPE_NAMES, type ScopeName, stepFieldFault, type ValueScope } from './scope.ts';
import { MAX_WORK, meterNodes, visitNodes, type WorkMeter } from './work-meter.ts';

const MAX_LENGTH = 4000;

/** Replaces `join`, whose result can be far larger than both its operands. */
const BOUNDED_JOIN = 'joinWithinLimits';

/** The caller as CEL knows it; a class, so that a wrong field is found when compiled. */
class CallerFields {
  readonly user: string;
  readonly agent: string;
  readonly session: string;
  readonly loop: string;
  readonly isolation: string;

  constructor({ user, agent, session, loop, isolation }: ValueScope['caller']) {
    this.user = user;
    this.agent = agent;
    this.session = session;
    this.loop = loop;
    this.isolation = isolation;
  }
}

const CALLER = {
  user: 'string',
  agent: 'string',
  session: 'string',
  loop: 'string',
  isolation: 'string',
};

/** What is wrong with an expression, and at which character, counted from 0. */
export interface ExpressionFault {
  readonly reason: string;
  readonly offset: number;
}

export interface Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  /** What it gives, as far as that is known before: `dyn` where it is not. */
  readonly type: string;
  /** Throws a ToolFailure when the value cannot be worked out. */
  evaluate(scope: ValueScope): unknown;
}

export const isFault = (checked: Expression | ExpressionFault): checked is ExpressionFault =>
  'reason' in checked;

const join = (list: readonly unknown[], separator: string): string => {
  let length = separator.length * list.length;
  for (const each of list) {
    if (typeof each !== 'string') throw new TypeError('join takes a list of texts');
    length += each.length;
  }
  if (length > MAX_WORK) throw new RangeError(`join gives more than ${MAX_WORK} characters`);
  return list.join(separator);
};

const environmentOf = (prepared: Prepared): Environment => {
  // What JSON allows: `{"a": 1, "b": "x"}`.
  const environment = boundedEnvironment(prepared, { homogeneousAggregateLiterals: false })
    .registerType('Caller', { ctor: CallerFields, fields: CALLER })
    .registerVariable('input', 'dyn')
    .registerVariable('steps', 'dyn')
    .registerVariable('item', 'dyn')
    .registerVariable('caller', 'Caller');
  const sync = { async: false };
  const name = `list.${BOUNDED_JOIN}`;
  environment.registerFunction(`${name}(): string`, (list: unknown[]) => join(list, ''), sync);
  environment.registerFunction(`${name}(string): string`, join, sync);
  return environment;
};

const boundJoins = (root: ASTNode): void =>
  visitNodes(root, ({ op, args }) => {
    if (op === 'rcall' && args[0] === 'join') (args as unknown[])[0] = BOUNDED_JOIN;
  });

/** Counts make a pattern far larger than its text, and callers of chains write patterns, too. */
const MAX_REPETITIONS = 200;
const MAX_PATTERN = 200;

/** Throws for a literal pattern that takes long to compile. */
const boundPatterns = (root: ASTNode): void =>
  visitNodes(root, ({ op, args, start }) => {
    if (op !== 'rcall' || args[0] !== 'matches') return;
    const [pattern] = args[2] as readonly ASTNode[];
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return;
    if (pattern.args.length <= MAX_PATTERN && repetitionsOf(pattern.args) <= MAX_REPETITIONS)
      return;
    throw new Refusal(
      `a pattern has at most ${MAX_PATTERN} characters, and counts that multiply to ${MAX_REPETITIONS}`,
      start,
    );
  });

const literalName = ({ op, args }: ASTNode): string | undefined => {
  if (op === '.' || op === '.?') return args[1];
  if (op !== '[]' && op !== '[?]') return undefined;
  const [, key] = args;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
};

const isRoot = (node: unknown, name: ScopeName): boolean => {
  const { op, args } = node as ASTNode;
  return op === 'id' && args === name;
};

/** Gives the step that a node such as `steps.a` names. */
const stepNamedBy = (node: unknown): string | undefined => {
  const { args } = node as ASTNode;
  const name = literalName(node as ASTNode);
  return name !== undefined && Array.isArray(args) && isRoot(args[0], 'steps') ? name : undefined;
};

/** Throws where a node such as `steps.a.result` names what no step has. */
const assertStepField = (node: ASTNode, name: string): void => {
  const step = stepNamedBy((node.args as readonly unknown[])[0]);
  const fault = step === undefined ? undefined : stepFieldFault(step, name);
  if (fault !== undefined) throw new Refusal(`there is no ${name} here: ${fault}`, node.start);
};

/** Lists the names in use. Throws where a step is not named by a literal: nobody could check it. */
const referencesOf = (root: ASTNode): readonly Reference[] => {
  const references: Reference[] = [];
  const named = new Set<unknown>();
  visitNodes(root, (node) => {
    const name = literalName(node);
    if (name !== undefined && stepNamedBy(node) === name) {
      named.add((node.args as readonly unknown[])[0]);
      references.push({ root: 'steps', step: name, text: `steps.${name}` });
    } else if (name !== undefined) assertStepField(node, name);
    if (node.op !== 'id') return;
    const used = SCOPE_NAMES.find((each) => each === node.args);
    if (used === 'steps' && !named.has(node)) {
      throw new Refusal('steps has to be followed by the id of a step', node.start);
    }
    if (used !== undefined && used !== 'steps') references.push({ root: used, text: used });
  });
  return references;
};

type Compile = (text: string) => Expression | ExpressionFault;

const variablesOf = ({ input, steps, caller, item }: ValueScope) => ({
  input,
  steps,
  caller: new CallerFields(caller),
  item,
});

/** Creates a compiler. Its expressions share one environment, which is costly to set up, and one meter. */
export const expressionCompiler = (meter: WorkMeter): Compile => {
  const prepared = { patterns: new LinearPatterns(), constants: new Map<string, unknown>() };
  const sharedEnvironment = lazy(() => environmentOf(prepared));
  const compile = (text: string): Expression => {
    if (text.length > MAX_LENGTH) throw new Refusal(`longer than ${MAX_LENGTH} characters`, 0);
    const environment = sharedEnvironment();
    const program = environment.parse(text);
    const references = referencesOf(program.ast);
    boundPatterns(program.ast);
    prepareCondition(program.ast, prepared, environment);
    boundJoins(program.ast);
    const { valid, error, type = 'dyn' } = program.check();
    if (!valid) throw error;
    meterNodes(program.ast, meter);
    return {
      text,
      references,
      type,
      evaluate: (scope) => {
        try {
          return meter.measure((): unknown =>
            plainValue(program(variablesOf(scope)), (units) => meter.spend(units)),
          );
        } catch (thrown) {
          throw cannotBeComputed(text, thrown);
        }
      },
    };
  };
  return (text) => {
    try {
      return compile(text);
    } catch (error) {
      return explained(badCondition(error), text);
    }
  };
};

/** What people write who know other languages, and what it is here. */
const HABITS: readonly (readonly [habit: RegExp, hint: string])[] = [
  [/\b(?:and|or|not)\b/i, 'write && for and, || for or, ! for not'],
  [/[^=!<>](?:=|===)(?:[^=]|$)/, 'write == to compare'],
  [/\?\./, 'write has(input.a) to ask whether a field is there'],
];

/** Adds what was probably meant to a fault of the language itself. */
const explained = (fault: ExpressionFault, text: string): ExpressionFault => {
  const { reason, offset } = fault;
  const name = /^Unknown variable: (\w+)$/.exec(reason)?.[1];
  if (name !== undefined) {
    const meant = didYouMean(name, SCOPE_NAMES) || `; known are ${SCOPE_NAMES.join(', ')}`;
    return { reason: reason + meant, offset };
  }
  if (!/^Unexpected (?:character|token)/.test(reason)) return fault;
  // What is quoted is a text of the user's, not the language.
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  const hint = HABITS.find(([habit]) => habit.test(unquoted))?.[1];
  return hint === undefined ? fault : { reason: `${reason}; ${hint}`, offset };
};

const MAX_QUOTED = 200;

/** Returns the summary of a fault, which is one sentence: the library's message draws the place in several lines. */
const cannotBeComputed = (text: string, thrown: unknown): ToolFailure => {
  const { summary = reasonOf(thrown) } = Object(thrown) as { readonly summary?: string };
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return new ToolFailure('EXECUTION_FAILED', `\`${quoted}\` cannot be worked out: ${summary}.`);
};

/** Evaluates an expression that has to be true or false. Throws where it is neither. */
export const evaluateTest = (expression: Expression, scope: ValueScope): boolean => {
  const value = expression.evaluate(scope);
  if (typeof value === 'boolean') return value;
  throw cannotBeComputed(expression.text, new TypeError('it is neither true nor false'));
};
