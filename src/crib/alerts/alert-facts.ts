/** Reads what conditions of alerts are about: once for each evaluation, and only what some condition uses. */
import type { Crib } from '../../contract/crib.ts';
import type { CribEvents, Events } from '../../contract/events.ts';
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

/** How many tools, sources, callers or servers one alert is evaluated for. */
export const MAX_SUBJECTS = 100;
/** How many of them are read to choose from. */
export const MAX_LINES = 10 * MAX_SUBJECTS;

const DOWN: ReadonlySet<ServerState> = new Set(['restarting', 'open']);

export type StateName = (typeof STATE_NAMES)[number];

export type FactCrib = Pick<
  Crib,
  'metrics' | 'servers' | 'tools' | 'approvals' | 'usage' | 'jobs' | 'events'
>;

/** Names a circuit: that of a server may be closed by another tool than the one that opened it. */
const circuitOf = ({ tool, server, userId }: CribEvents['circuit.opened']): string =>
  JSON.stringify(server === undefined ? [tool, userId] : { server });

/** What a process has to have watched: circuits that are open, and since when servers are as they are. */
export class WatchedStates {
  /** The tool that each open circuit was announced with. */
  readonly #circuits = new Map<string, string>();
  #servers = new Map<string, { readonly state: ServerState; readonly since: number }>();
  readonly #now: () => number;

  constructor(events: Pick<Events, 'on'>, now: () => number) {
    this.#now = now;
    events.on('circuit.opened', (event) => void this.#circuits.set(circuitOf(event), event.tool));
    events.on('circuit.closed', (event) => void this.#circuits.delete(circuitOf(event)));
  }

  get circuits(): readonly string[] {
    return [...new Set(this.#circuits.values())];
  }

  servers(list: ReturnType<Crib['servers']['list']>): readonly ServerFacts[] {
    const now = this.#now();
    const before = this.#servers;
    this.#servers = new Map(
      list.map(({ name, state }) => {
        const last = before.get(name);
        return [name, last?.state === state ? last : { state, since: now }];
      }),
    );
    return list.map(({ name, state, restarts }) => {
      const forMs = now - (this.#servers.get(name)?.since ?? now);
      return new ServerFacts({ name, state, down: DOWN.has(state), forMs, restarts });
    });
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
        return watched.circuits;
      case 'quarantined':
        return crib.tools.lock
          .states()
          .filter(({ state }) => state !== 'accepted' && state !== 'gone')
          .map(({ tool, origin, state }) => new HeldTool(tool, origin, state));
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
    return new ApprovalFacts(waiting.length, this.now - oldest);
  }

  async #audit(): Promise<AuditFacts> {
    const problem = await (await this.#deps.chain()).look();
    return new AuditFacts(problem === undefined, problem?.message ?? '');
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
