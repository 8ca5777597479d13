/** The events of a run, as its steps take them. */
import { toolError } from '../../contract/errors.ts';
import type { FlowEvent, FlowRun, Flows, JournalStep } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { type FlowSeals, isOurEvent } from '../run-seals.ts';
import type { StepAttempt, StepEnd } from '../turn.ts';

export interface EventInboxDeps {
  readonly run: FlowRun;
  readonly flows: Pick<Flows, 'events' | 'eventNames'>;
  readonly seals: FlowSeals;
  readonly runtime: Pick<Runtime, 'now'>;
}

/** How many names of events are read at a time. */
const PAGE = 256;

export class EventInbox {
  readonly #deps: EventInboxDeps;
  /** Events that a step of the run has taken before this turn. */
  readonly #taken: ReadonlySet<number>;
  /** The nonces of all events that a step has taken: whoever can write the store can copy one of them. */
  readonly #nonces: Set<string>;
  /** The ids of events that no step has taken, oldest first, by their name. */
  readonly #ids = new Map<string, number[]>();
  /** The newest event that was read. */
  #lastId = 0;
  /** The newest event that each waiting step has looked at, by the key of the step. */
  readonly #seenBy = new Map<string, number>();

  constructor(deps: EventInboxDeps, steps: readonly JournalStep[]) {
    this.#deps = deps;
    this.#taken = new Set(steps.flatMap(({ eventId }) => eventId ?? []));
    this.#nonces = new Set(steps.flatMap(({ eventNonce }) => eventNonce ?? []));
  }

  /** The newest event that all waiting steps have looked at: one step must not hide it from another. */
  get seen(): number {
    return this.#seenBy.size === 0 ? 0 : Math.min(...this.#seenBy.values());
  }

  /** Takes the oldest event of a name, or waits for one. */
  async take(
    name: string,
    timeoutMs: number | undefined,
    { key, open }: StepAttempt,
  ): Promise<StepEnd> {
    const seen = await this.#read();
    this.#seenBy.delete(key);
    const event = await this.#next(name);
    if (event) return { state: 'done', value: event.payload, step: takenBy(event) };
    const now = this.#deps.runtime.now();
    const wakeAt = open?.wakeAt ?? (timeoutMs === undefined ? undefined : now + timeoutMs);
    if (wakeAt !== undefined && wakeAt <= now) {
      const error = toolError('TIMEOUT', `The event ${name} did not come in time.`);
      return { state: 'failed', error };
    }
    this.#seenBy.set(key, seen);
    const step = open || wakeAt === undefined ? {} : { step: { wakeAt } };
    return { state: 'parked', waitsFor: `event:${name}`, ...step };
  }

  /**
   * Reads the ids and names of what is new, without the payloads: each turn would read those of all events that
   * nobody takes. Returns the newest that was read by then: another step may read on before this one looks.
   */
  async #read(): Promise<number> {
    const { flows, run } = this.#deps;
    for (let isMore = true; isMore; ) {
      const page = await flows.eventNames(run.id, this.#lastId, PAGE);
      isMore = page.length === PAGE;
      for (const { id, name } of page) {
        // Another step may have read it meanwhile.
        if (id <= this.#lastId) continue;
        this.#lastId = id;
        if (this.#taken.has(id)) continue;
        const ids = this.#ids.get(name);
        if (ids) ids.push(id);
        else this.#ids.set(name, [id]);
      }
    }
    return this.#lastId;
  }

  /** Takes the oldest event of a name. Those that nobody of this user sent, and copies, are left out. */
  async #next(name: string): Promise<FlowEvent | undefined> {
    const { flows, run, seals } = this.#deps;
    const ids = this.#ids.get(name) ?? [];
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const [event] = await flows.events(run.id, id - 1, 1);
      if (event?.id !== id || !isOurEvent(run.id, event, seals)) continue;
      const { nonce } = event;
      if (nonce === undefined || this.#nonces.size !== this.#nonces.add(nonce).size) return event;
    }
    return undefined;
  }
}

/** Says in the step that takes an event which one that was. */
const takenBy = ({ id, nonce }: FlowEvent): Pick<JournalStep, 'eventId' | 'eventNonce'> => ({
  eventId: id,
  ...(nonce !== undefined && { eventNonce: nonce }),
});
