/** Reads the facts that conditions of alerts use: each fact once in an evaluation, and only those in use. */
import type { Crib } from '../../contract/crib.ts';
import type { CallFigures, MetricKind, MetricLine, MetricScope } from '../../contract/metrics.ts';
import type { ServerState } from '../../contract/servers.ts';
import type { ChainWatch } from '../../governance/audit/watch-chain.ts';
import { figuresOf, NO_COUNTS } from '../../observation/roll-up/figures-of.ts';
import {
  ApprovalFacts,
  AuditFacts,
  BudgetFacts,
  HeldTool,
  JobFacts,
  ServerFacts,
  type STATE_NAMES,
} from './alert-names.ts';

/** How many tools, sources, callers or servers one alert is evaluated for at most. */
export const MAX_SUBJECTS = 100;
/** How many of them are read at most, to choose these from. */
export const MAX_LINES = 10 * MAX_SUBJECTS;

const DOWN: ReadonlySet<ServerState> = new Set(['restarting', 'open']);

export type StateName = (typeof STATE_NAMES)[number];

export type FactCrib = Pick<
  Crib,
  'metrics' | 'servers' | 'tools' | 'approvals' | 'usage' | 'jobs' | 'health'
>;

/** How long a server may take to start before the first judgement about it. */
const SETTLE_MS = 60_000;

interface SeenServer {
  readonly down: boolean;
  /** When `down` last changed, as far as this process has seen. */
  readonly since: number;
  readonly firstAt: number;
  readonly isSettled: boolean;
}

type ListedServer = ReturnType<Crib['servers']['list']>[number];

/** Tells whether a server was never started, or its first start is under way. */
const isUntried = ({ state, tools }: ListedServer): boolean =>
  state === 'starting' || (state === 'idle' && tools === 0);

const seenServer = (
  server: ListedServer,
  before: SeenServer | undefined,
  now: number,
): SeenServer => {
  const { state } = server;
  // A server that is restarted is down until it runs.
  const down = DOWN.has(state) || (state === 'starting' && before?.down === true);
  const firstAt = before?.firstAt ?? now;
  return {
    down,
    since: before?.down === down ? before.since : now,
    firstAt,
    isSettled: before?.isSettled === true || !isUntried(server) || now - firstAt >= SETTLE_MS,
  };
};

/** Remembers since when each server has been up or down. */
export class WatchedStates {
  #servers: ReadonlyMap<string, SeenServer> = new Map();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  servers(list: readonly ListedServer[]): readonly ServerFacts[] {
    const now = this.#now();
    const seen = list.map((server) => ({
      server,
      ...seenServer(server, this.#servers.get(server.name), now),
    }));
    this.#servers = new Map(seen.map((each) => [each.server.name, each]));
    return seen.map(
      ({ server: { name, state, restarts }, down, since }) =>
        new ServerFacts({ name, state, down, forMs: now - since, restarts }),
    );
  }

  /** Names the servers about which it is too early to judge: their first start is not over. */
  get unsettled(): ReadonlySet<string> {
    const names = [...this.#servers].filter(([, { isSettled }]) => !isSettled);
    return new Set(names.map(([name]) => name));
  }
}

export interface AlertFactsDeps {
  readonly crib: FactCrib;
  readonly watched: WatchedStates;
  readonly chain: () => Promise<ChainWatch>;
  now(): number;
}

export const NO_FIGURES: CallFigures = figuresOf(NO_COUNTS, 1);

export class AlertFacts {
  readonly #deps: AlertFactsDeps;
  readonly #read = new Map<string, Promise<unknown>>();
  readonly now: number;

  constructor(deps: AlertFactsDeps) {
    this.#deps = deps;
    this.now = deps.now();
  }

  figures(scope: MetricScope, windowMs: number): Promise<CallFigures> {
    const { metrics } = this.#deps.crib;
    return this.#once(`figures ${windowMs} ${JSON.stringify(scope)}`, () =>
      metrics.summary({ ...scope, ...this.#range(windowMs) }),
    );
  }

  /** Reads the figures of each tool, source or caller, those with the most calls first. */
  lines(kind: Exclude<MetricKind, 'overall'>, windowMs: number): Promise<readonly MetricLine[]> {
    const { metrics } = this.#deps.crib;
    return this.#once(`lines ${kind} ${windowMs}`, () =>
      metrics.by(kind, { ...this.#range(windowMs), limit: MAX_LINES }),
    );
  }

  state(name: StateName): Promise<unknown> {
    return this.#once(name, () => this.#state(name));
  }

  async servers(): Promise<readonly ServerFacts[]> {
    return (await this.state('servers')) as readonly ServerFacts[];
  }

  async unsettledServers(): Promise<ReadonlySet<string>> {
    await this.servers();
    return this.#deps.watched.unsettled;
  }

  #range(windowMs: number) {
    return { from: this.now - windowMs, to: this.now + 1 };
  }

  #once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const reading = (this.#read.get(key) as Promise<T> | undefined) ?? read();
    this.#read.set(key, reading);
    return reading;
  }

  async #state(name: StateName): Promise<unknown> {
    const { crib, watched } = this.#deps;
    switch (name) {
      case 'servers':
        return watched.servers(crib.servers.list());
      case 'circuits':
        return crib.health.circuits().map(({ tool }) => tool);
      case 'quarantined':
        return crib.tools.lock
          .states()
          .filter(({ state }) => state !== 'accepted' && state !== 'gone')
          .map(({ tool, origin, state }) => new HeldTool({ tool, source: origin, reason: state }));
      case 'approvals':
        return this.#approvals();
      case 'audit':
        return this.#audit();
      case 'budgets':
        return this.#budgets();
      case 'jobs':
        return this.#jobs();
      default:
        throw new Error(`Nobody knows ${name}.`);
    }
  }

  async #approvals(): Promise<ApprovalFacts> {
    const waiting = (await this.#deps.crib.approvals.list()).filter(
      ({ expiresAt }) => expiresAt > this.now,
    );
    const oldest = waiting.reduce((least, { createdAt }) => Math.min(least, createdAt), this.now);
    return new ApprovalFacts({ waiting: waiting.length, oldestMs: this.now - oldest });
  }

  async #audit(): Promise<AuditFacts> {
    const problem = await (await this.#deps.chain()).look();
    return new AuditFacts({ ok: problem === undefined, problem: problem?.message ?? '' });
  }

  async #budgets(): Promise<readonly BudgetFacts[]> {
    const lines = await this.#deps.crib.usage.summary();
    return lines.flatMap(({ kind, name, usd, heldUsd, limit }) => {
      const { usd: limitUsd } = limit;
      if (limitUsd === undefined) return [];
      const used = limitUsd === 0 ? 1 : (usd + heldUsd) / limitUsd;
      return [new BudgetFacts({ kind, name, spentUsd: usd, limitUsd, used })];
    });
  }

  async #jobs(): Promise<JobFacts> {
    const sums = { waiting: 0, active: 0, delayed: 0, dead: 0 };
    for (const counts of Object.values(await this.#deps.crib.jobs.counts())) {
      sums.waiting += counts.waiting;
      sums.active += counts.active;
      sums.delayed += counts.delayed;
      sums.dead += counts.dead;
    }
    return new JobFacts(sums);
  }
}
