/** Runs checks and keeps the results. Limits how many run at once and how long; joins equal requests. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type {
  CheckAllOptions,
  CheckOptions,
  HealthCheckResult,
  HealthHistory,
  HealthStatus,
} from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { inParallel } from '../../kit/data/bounded-work.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { allSubjects, checkSubject, knownSubject } from './check-subject.ts';
import { statusOf } from './findings.ts';
import type { HealthDeps } from './health-deps.ts';
import { keepResults, readHistory, readResults } from './kept-results.ts';
import { parseSubject, type Subject, subjectId } from './subjects.ts';

/** Limited, because a check may start a program or use the network. */
const MAX_AT_ONCE = 8;
const TIMEOUT_MS = 15_000;

export interface RoundOptions {
  readonly timeoutMs: number;
  readonly startServers: NonNullable<CheckAllOptions['startServers']>;
}

export interface HealthServiceDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now' | 'log'>;
  readonly events: Pick<Events, 'emit'>;
  /** Names the kinds of sandboxes there are, without trying them. */
  readonly sandboxTypes: readonly string[];
  /** Opens the dependencies of the checks of one round. */
  openRound(options: RoundOptions): Promise<HealthDeps>;
  store(): Promise<Pick<Store, 'memory' | 'isReadOnly'>>;
}

export class HealthService {
  readonly #deps: HealthServiceDeps;
  /** Checks under way: an equal request gets the same answer. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(deps: HealthServiceDeps) {
    this.#deps = deps;
  }

  checkAll(options: CheckAllOptions = {}): Promise<HealthStatus> {
    return this.#once(`all ${canonicalJson(options)}`, () => this.#checkAll(options));
  }

  async checkOne(id: string, options: CheckOptions = {}): Promise<HealthCheckResult> {
    const round = await this.#openRound(options);
    const subject = this.#subject(id, round);
    return this.#once(`${subjectId(subject)} ${round.timeoutMs}`, async () => {
      const result = await checkSubject(subject, round);
      await this.#keep([result], false);
      return result;
    });
  }

  /** Reads the kept results of the subjects that exist now; `undefined` when there are none. */
  async latest(): Promise<HealthStatus | undefined> {
    const { memory } = await this.#deps.store();
    const [{ allAt, results }, round] = await Promise.all([
      readResults(memory, this.#deps.runtime.now()),
      this.#openRound({}),
    ]);
    if (results.length === 0) return undefined;
    const order = new Map(
      allSubjects(round, this.#deps.sandboxTypes).map((subject, at) => [subjectId(subject), at]),
    );
    const rank = ({ subject }: HealthCheckResult): number => order.get(subject) ?? order.size;
    const present = results
      .filter(({ subject }) => order.has(subject))
      .sort((one, other) => rank(one) - rank(other));
    const newest = Math.max(allAt, ...present.map(({ timestamp }) => timestamp));
    return present.length === 0 ? undefined : statusOf(present, newest);
  }

  async history(id: string): Promise<HealthHistory> {
    const subject = this.#subject(id, await this.#openRound({}));
    const { memory } = await this.#deps.store();
    return readHistory(memory, subjectId(subject), this.#deps.runtime.now());
  }

  /** Returns the full id of a subject, or `all`. Rejects with NOT_FOUND. */
  async idOf(id: string): Promise<string> {
    return id === 'all' ? id : subjectId(this.#subject(id, await this.#openRound({})));
  }

  async #checkAll(options: CheckAllOptions): Promise<HealthStatus> {
    const round = await this.#openRound(options);
    const { kinds } = options;
    const subjects = allSubjects(round, this.#deps.sandboxTypes).filter(
      ({ kind }) => kinds === undefined || kinds.includes(kind),
    );
    const results = await inParallel(subjects, MAX_AT_ONCE, (subject) =>
      checkSubject(subject, round),
    );
    await this.#keep(results, kinds === undefined);
    return statusOf(results, this.#deps.runtime.now());
  }

  #openRound({ timeoutMs = TIMEOUT_MS, startServers = true }: CheckAllOptions) {
    return this.#deps.openRound({ timeoutMs, startServers });
  }

  #subject(id: string, round: HealthDeps): Subject {
    const subject = knownSubject(parseSubject(id), round, this.#deps.sandboxTypes);
    if (subject) return subject;
    throw new ToolFailure('NOT_FOUND', 'There is nothing of that name to check.', {
      suggestions: ['Name a tool, or store, queue, model, server:…, source:… or sandbox:….'],
    });
  }

  /** Keeps the results. Only logs a failure: the check of the store itself reports it. */
  async #keep(results: readonly HealthCheckResult[], isAll: boolean): Promise<void> {
    const { runtime, events } = this.#deps;
    try {
      const store = await this.#deps.store();
      if (store.isReadOnly) return;
      await keepResults(results, isAll, { memory: store.memory, events, runtime });
    } catch (error) {
      runtime.log.warn('results of checks could not be kept', { error: reasonOf(error) });
    }
  }

  async #once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) as Promise<T> | undefined;
    if (running) return running;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
