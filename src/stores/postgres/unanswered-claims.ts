/**
 * Remembers the runs that this process may own without knowing: the connection broke before the server
 * answered whether it had made or claimed them.
 */
import type { RunClaim } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';

interface Unanswered {
  readonly epoch: number;
  readonly failedAt: number;
  /** When the first read since then began that the server has answered. */
  answeredAt?: number;
}

/** Once it answers again, the server may still commit, until its limit of 20 s for a statement. */
const MAX_OPEN_MS = 30_000;

export class UnansweredClaims {
  readonly #runtime: Pick<Runtime, 'elapsed'>;
  readonly #claims = new Map<string, Unanswered>();

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.#runtime = runtime;
  }

  /** Claims a run, and remembers it when the claim rejects. */
  async attempt<Answer>(
    { id, epoch }: RunClaim,
    claim: () => Promise<Answer>,
    isTaken: (answer: Answer) => boolean,
  ): Promise<Answer> {
    const earlier = this.#claims.get(id);
    // Until the answer is there, the run may be this claim's, which is no reason to give it back.
    this.#claims.delete(id);
    try {
      const answer = await claim();
      if (earlier && !isTaken(answer)) this.#claims.set(id, earlier);
      return answer;
    } catch (error) {
      this.#claims.set(id, { epoch, failedAt: this.#runtime.elapsed() });
      throw error;
    }
  }

  /** Lists the runs whose claims are open. */
  ids(): readonly string[] {
    return [...this.#claims.keys()];
  }

  /**
   * Forgets claims that cannot be committed any more. `owned` are the runs that belonged to this process in a
   * read that began at `readAt`. Time alone proves nothing: the server may have been away all the while.
   */
  dropVoid(owned: readonly RunClaim[], readAt: number): void {
    const epochs = new Map(owned.map(({ id, epoch }) => [id, epoch]));
    for (const [id, claim] of this.#claims) {
      if (epochs.get(id) === claim.epoch || claim.failedAt > readAt) continue;
      claim.answeredAt ??= readAt;
      if (readAt - claim.answeredAt >= MAX_OPEN_MS) this.#claims.delete(id);
    }
  }

  /** Tells whether a run that belongs to this process is as an unanswered claim has left it. */
  has({ id, epoch }: RunClaim): boolean {
    return this.#claims.get(id)?.epoch === epoch;
  }

  /** Forgets a run that was given back. */
  forget({ id }: RunClaim): void {
    this.#claims.delete(id);
  }
}
