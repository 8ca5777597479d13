/**
 * Remembers the runs that this process may own without knowing: the connection broke before the server
 * answered whether it had made or claimed them.
 */
import type { FlowRun, RunClaim } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';

interface Unanswered {
  readonly epoch: number;
  readonly until: number;
}

/** The server may still commit after the connection broke, until its limit of 20 s for a statement. */
const MAX_OPEN_MS = 30_000;

export class UnansweredClaims {
  readonly #runtime: Pick<Runtime, 'elapsed'>;
  readonly #claims = new Map<string, Unanswered>();

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.#runtime = runtime;
  }

  /** Claims a run, and remembers it when the claim rejects. */
  async attempt<Answer>({ id, epoch }: RunClaim, claim: () => Promise<Answer>): Promise<Answer> {
    try {
      return await claim();
    } catch (error) {
      this.#claims.set(id, { epoch, until: this.#runtime.elapsed() + MAX_OPEN_MS });
      throw error;
    }
  }

  /** Lists the runs whose claims are open. */
  ids(): readonly string[] {
    const now = this.#runtime.elapsed();
    for (const [id, { until }] of this.#claims) if (until < now) this.#claims.delete(id);
    return [...this.#claims.keys()];
  }

  /** Tells whether a run that belongs to this process is as an unanswered claim has left it. */
  has({ id, epoch }: FlowRun): boolean {
    return this.#claims.get(id)?.epoch === epoch;
  }

  /** Forgets a run: its claim was answered after all, or it is given back. */
  forget({ id }: RunClaim): void {
    this.#claims.delete(id);
  }
}
