/**
 * The language of conditions: CEL with every name declared, so that a wrong name or type is found
 * when a policy is loaded. Numbers of JSON are doubles in CEL and its own literals are ints; the
 * operators added here accept both.
 */
import { Environment } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { CallerFacts, FlowFacts, TimeFacts, ToolFacts } from './call-facts.ts';

const MAX_LENGTH = 1000;
const MAX_COMPUTED = 100;

/**
 * Matches regular expressions in time linear in the text, so that no pattern and no input can block
 * the process. Each pattern is compiled once.
 */
export class LinearPatterns {
  readonly #literal = new Map<string, RE2JS>();
  /** Patterns computed at run time; they may hold anything, so few of them are kept. */
  readonly #computed = new LRUCache<string, RE2JS>({ max: MAX_COMPUTED });

  /** Compiles a literal pattern of a condition. Throws when it is no regular expression. */
  keep(pattern: string): void {
    this.#literal.set(pattern, this.#compile(pattern));
  }

  /** Tells whether the pattern matches anywhere in the text. */
  test(text: string, pattern: string): boolean {
    return (this.#literal.get(pattern) ?? this.#computedPattern(pattern)).test(text);
  }

  #computedPattern(pattern: string): RE2JS {
    const cached = this.#computed.get(pattern);
    if (cached) return cached;
    // A few characters such as `((a{999}){999}){9}` take seconds to compile.
    if (pattern.includes('{')) throw new RangeError('a computed pattern has no counted repetition');
    const compiled = this.#compile(pattern);
    this.#computed.set(pattern, compiled);
    return compiled;
  }

  #compile(pattern: string): RE2JS {
    if (pattern.length > MAX_LENGTH) {
      throw new RangeError(`a pattern has at most ${MAX_LENGTH} characters`);
    }
    return RE2JS.compile(pattern);
  }
}

/** Enough for a rule that a person can read; what is larger is generated or hostile. */
const LIMITS = {
  maxAstNodes: 2000,
  maxDepth: 40,
  maxListElements: 1000,
  maxMapEntries: 100,
  maxCallArguments: 8,
};

/** Replaces `matches`, which uses a backtracking engine in the CEL library. */
export const LINEAR_MATCHES = 'matchesInLinearTime';

/** Calls that are evaluated once when their text is a literal, and their replacements. */
export const CONSTANT_CALLS: ReadonlyMap<string, { readonly constant: string; type: string }> =
  new Map([
    ['timestamp', { constant: 'constantTimestamp', type: 'google.protobuf.Timestamp' }],
    ['duration', { constant: 'constantDuration', type: 'google.protobuf.Duration' }],
  ]);

/** Values that were computed when conditions were compiled. */
export interface Prepared {
  readonly patterns: LinearPatterns;
  /** By their text; that of a time and that of a duration are never the same. */
  readonly constants: Map<string, unknown>;
}

const CALLER = {
  user: 'string',
  agent: 'string',
  session: 'string',
  loop: 'string',
  roles: 'list<string>',
  permissions: 'list<string>',
  isolation: 'string',
};

const TOOL = {
  name: 'string',
  version: 'string',
  source: 'string',
  server: 'string',
  category: 'string',
  tags: 'list<string>',
};

const TIME = { hour: 'int', weekday: 'int', date: 'string' };

const FLOW = { untrusted: 'bool', sensitivity: 'string', private: 'bool', secret: 'bool' };

const VARIABLES = {
  caller: 'Caller',
  tool: 'Tool',
  tier: 'string',
  action: 'string',
  destructive: 'bool',
  input: 'dyn',
  now: 'google.protobuf.Timestamp',
  time: 'Time',
  flow: 'Flow',
  sink: 'bool',
};

export const CONDITION_NAMES = Object.keys(VARIABLES).join(', ');

type Numeric = (left: number | bigint, right: number | bigint) => number;

const ARITHMETIC: Readonly<Record<string, Numeric>> = {
  '+': (left, right) => Number(left) + Number(right),
  '-': (left, right) => Number(left) - Number(right),
  '*': (left, right) => Number(left) * Number(right),
  '/': (left, right) => Number(left) / Number(right),
  '%': (left, right) => Number(left) % Number(right),
};

const declareArithmetic = (environment: Environment): void => {
  for (const [operator, compute] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`int ${operator} double: double`, compute);
    environment.registerOperator(`double ${operator} int: double`, compute);
  }
  environment.registerOperator('double % double: double', ARITHMETIC['%'] as Numeric);
};

/** Makes CEL with bounded sizes, linear patterns and mixed arithmetic, but without any name. */
export const boundedEnvironment = (
  { patterns, constants }: Prepared,
  options: { readonly homogeneousAggregateLiterals?: boolean } = {},
): Environment => {
  const environment = new Environment({ ...options, limits: LIMITS }).registerFunction(
    `string.${LINEAR_MATCHES}(string): bool`,
    (text: string, pattern: string) => patterns.test(text, pattern),
    { async: false },
  );
  for (const { constant, type } of CONSTANT_CALLS.values()) {
    const signature = `${constant}(string): ${type}`;
    environment.registerFunction(signature, (text: string) => constants.get(text), {
      async: false,
    });
  }
  declareArithmetic(environment);
  return environment;
};

/** Makes the language of policy conditions, with the facts of a call as its names. */
export const celEnvironment = (prepared: Prepared): Environment => {
  const environment = boundedEnvironment(prepared)
    .registerType('Caller', { ctor: CallerFacts, fields: CALLER })
    .registerType('Tool', { ctor: ToolFacts, fields: TOOL })
    .registerType('Time', { ctor: TimeFacts, fields: TIME })
    .registerType('Flow', { ctor: FlowFacts, fields: FLOW });
  for (const [name, type] of Object.entries(VARIABLES)) environment.registerVariable(name, type);
  return environment;
};
