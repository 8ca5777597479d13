/** The names that conditions of alerts can use, their types, and the values behind them. */
import type { Environment } from '@marcbachmann/cel-js';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import type { CallFigures } from '../../contract/metrics.ts';

/** Classes, so that a misspelt field is found when a condition is compiled. */
export class ServerFacts {
  readonly name: string;
  readonly state: string;
  /** Given up, or waiting for its next start, or in a start that followed. */
  readonly down: boolean;
  /** How long it has been down, or not down, as far as this process has seen. */
  readonly forMs: number;
  readonly restarts: number;

  constructor(facts: Pick<ServerFacts, 'name' | 'state' | 'down' | 'forMs' | 'restarts'>) {
    this.name = facts.name;
    this.state = facts.state;
    this.down = facts.down;
    this.forMs = facts.forMs;
    this.restarts = facts.restarts;
  }
}

export class HeldTool {
  readonly tool: string;
  readonly source: string;
  /** `new`, `changed` or `flagged`. */
  readonly reason: string;

  constructor(tool: string, source: string, reason: string) {
    this.tool = tool;
    this.source = source;
    this.reason = reason;
  }
}

export class ApprovalFacts {
  readonly waiting: number;
  readonly oldestMs: number;

  constructor(waiting: number, oldestMs: number) {
    this.waiting = waiting;
    this.oldestMs = oldestMs;
  }
}

export class AuditFacts {
  readonly ok: boolean;
  readonly problem: string;

  constructor(ok: boolean, problem: string) {
    this.ok = ok;
    this.problem = problem;
  }
}

export class BudgetFacts {
  readonly kind: string;
  readonly name: string;
  readonly spentUsd: number;
  readonly limitUsd: number;
  /** What is spent and held, of the limit: from 0 to 1. */
  readonly used: number;

  constructor(facts: Pick<BudgetFacts, 'kind' | 'name' | 'spentUsd' | 'limitUsd' | 'used'>) {
    this.kind = facts.kind;
    this.name = facts.name;
    this.spentUsd = facts.spentUsd;
    this.limitUsd = facts.limitUsd;
    this.used = facts.used;
  }
}

export class JobFacts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly dead: number;

  constructor(facts: Pick<JobFacts, 'waiting' | 'active' | 'delayed' | 'dead'>) {
    this.waiting = facts.waiting;
    this.active = facts.active;
    this.delayed = facts.delayed;
    this.dead = facts.dead;
  }
}

const CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** The calls of each code; 0 for those that did not occur, so that a condition need not ask first. */
export class CodeCounts {
  constructor(byCode: CallFigures['byCode']) {
    for (const code of CODES) Reflect.set(this, code, byCode[code] ?? 0);
  }
}

const TYPES = [
  [
    'Server',
    ServerFacts,
    { name: 'string', state: 'string', down: 'bool', forMs: 'double', restarts: 'double' },
  ],
  ['HeldTool', HeldTool, { tool: 'string', source: 'string', reason: 'string' }],
  ['Approvals', ApprovalFacts, { waiting: 'double', oldestMs: 'double' }],
  ['Audit', AuditFacts, { ok: 'bool', problem: 'string' }],
  [
    'Budget',
    BudgetFacts,
    { kind: 'string', name: 'string', spentUsd: 'double', limitUsd: 'double', used: 'double' },
  ],
  ['Jobs', JobFacts, { waiting: 'double', active: 'double', delayed: 'double', dead: 'double' }],
  ['Codes', CodeCounts, Object.fromEntries(CODES.map((code) => [code, 'double']))],
] as const;

const FIGURES = [
  ...['calls', 'errors', 'errorRate', 'successRate', 'denied', 'p50', 'p95', 'p99', 'average'],
  ...['max', 'throughput', 'concurrency', 'attempts', 'cacheHits', 'costUsd', 'tokens'],
] as const;

/** Of the window; a condition that uses none of them reads no figures. */
export const FIGURE_NAMES: ReadonlySet<string> = new Set([...FIGURES, 'byCode']);

export const STATE_NAMES = [
  ...['servers', 'circuits', 'quarantined', 'approvals', 'audit', 'budgets', 'jobs'],
] as const;

const VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIGURES.map((name) => [name, 'double'])),
  byCode: 'Codes',
  servers: 'list<Server>',
  circuits: 'list<string>',
  quarantined: 'list<HeldTool>',
  approvals: 'Approvals',
  audit: 'Audit',
  budgets: 'list<Budget>',
  jobs: 'Jobs',
  subject: 'string',
  now: 'google.protobuf.Timestamp',
};

/** The server at hand; only an alert with `each: server` has it. */
const SERVER = 'server';

export const namesFor = (each: string | undefined): readonly string[] =>
  each === 'server' ? [...Object.keys(VARIABLES), SERVER] : Object.keys(VARIABLES);

export const declareNames = (environment: Environment, each: string | undefined): Environment => {
  // Figures are doubles, and `jobs.dead == 0` compares one with an int.
  const equals = (one: number | bigint, other: number | bigint) => Number(one) === Number(other);
  environment.registerOperator('double == int: bool', equals);
  for (const [name, ctor, fields] of TYPES) environment.registerType(name, { ctor, fields });
  for (const [name, type] of Object.entries(VARIABLES)) environment.registerVariable(name, type);
  if (each === 'server') environment.registerVariable(SERVER, 'Server');
  return environment;
};

/** Gives the figures under the names of conditions. */
export const figureValues = (figures: CallFigures): Readonly<Record<string, unknown>> => {
  const { byStatus } = figures;
  return {
    calls: figures.calls,
    errors: (byStatus.failure ?? 0) + (byStatus.timeout ?? 0) + (byStatus.unknown ?? 0),
    errorRate: figures.errorRate,
    successRate: figures.successRate,
    denied: byStatus.denied ?? 0,
    p50: figures.medianExecutionTime,
    p95: figures.p95ExecutionTime,
    p99: figures.p99ExecutionTime,
    average: figures.averageExecutionTime,
    max: figures.maxExecutionTime,
    throughput: figures.throughput,
    concurrency: figures.concurrency,
    attempts: figures.attempts,
    cacheHits: figures.cacheHits,
    costUsd: figures.costUsd,
    tokens: figures.tokens,
    byCode: new CodeCounts(figures.byCode),
  };
};
