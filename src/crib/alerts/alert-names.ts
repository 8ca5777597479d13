/** The names that conditions of alerts can use, their types, and the values behind them. */
import type { Environment } from '@marcbachmann/cel-js';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import type { CallFigures } from '../../contract/metrics.ts';

/** The base of values with fields: CEL checks fields of classes, so it finds a misspelt one when it compiles. */
class Facts<Fields extends object> {
  constructor(fields: Fields) {
    Object.assign(this, fields);
  }
}

export class ServerFacts extends Facts<ServerFacts> {
  declare readonly name: string;
  declare readonly state: string;
  /** Given up, waiting for its next start, or being restarted. */
  declare readonly down: boolean;
  /** How long `down` has had its value, as far as this process has seen. */
  declare readonly forMs: number;
  declare readonly restarts: number;
}

export class HeldTool extends Facts<HeldTool> {
  declare readonly tool: string;
  declare readonly source: string;
  /** `new`, `changed` or `flagged`. */
  declare readonly reason: string;
}

export class ApprovalFacts extends Facts<ApprovalFacts> {
  declare readonly waiting: number;
  declare readonly oldestMs: number;
}

export class AuditFacts extends Facts<AuditFacts> {
  declare readonly ok: boolean;
  declare readonly problem: string;
}

export class BudgetFacts extends Facts<BudgetFacts> {
  declare readonly kind: string;
  declare readonly name: string;
  declare readonly spentUsd: number;
  declare readonly limitUsd: number;
  /** The share of the limit that is spent or held, from 0 to 1. */
  declare readonly used: number;
}

export class JobFacts extends Facts<JobFacts> {
  declare readonly waiting: number;
  declare readonly active: number;
  declare readonly delayed: number;
  declare readonly dead: number;
}

const CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** The number of calls with each error code; 0 where there were none, so that a condition can compare each. */
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

/** Figures of the window; they are read only for a condition that uses one of them. */
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

/** The name of the server that is judged; only for an alert with `each: server`. */
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

/** Returns the figures under the names that conditions use. */
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
