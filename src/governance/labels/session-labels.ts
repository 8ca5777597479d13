/**
 * Remembers what has entered a session: once untrusted or private data was handed to it, the session
 * carries that label to its end. All sessions of a caller that names them itself count as one. Labels of
 * named sessions are kept in the store, because several processes may serve one; those of the local
 * session live as long as its process.
 */
import { LRUCache } from 'lru-cache';
import { type Caller, type CallerNames, LOCAL_CALLER, provenNames } from '../../contract/caller.ts';
import { type FlowState, NOTHING_SEEN } from '../../contract/policy.ts';
import type { Labels } from '../../contract/result.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { perCaller } from '../per-caller.ts';

const MAX_SESSIONS = 10_000;
/** Longer than any session lasts. */
const KEEP_MS = 30 * DAY_MS;

/**
 * Each mark is kept by itself and is only ever set, so that two processes that add to one session
 * cannot take each other's away.
 */
const MARKS = ['untrusted', 'private', 'secret'] as const;
type Mark = (typeof MARKS)[number];

const stateOf = (marks: readonly Mark[]): FlowState => ({
  untrusted: marks.includes('untrusted'),
  sensitivity: marks.includes('secret')
    ? 'secret'
    : marks.includes('private')
      ? 'private'
      : 'public',
});

const marksOf = ({ trust, sensitivity }: Labels): readonly Mark[] => [
  ...(trust === 'trusted' ? [] : (['untrusted'] as const)),
  ...(sensitivity === 'public' ? [] : [sensitivity]),
];

const PLAIN: readonly Mark[] = Object.freeze([]);

export class SessionLabels {
  readonly #memory: MemoryStore;
  readonly #now: () => number;
  readonly #named = new LRUCache<string, readonly Mark[]>({ max: MAX_SESSIONS });
  readonly #spaceOf = perCaller(
    ({ userId, sessionId }) => `labels:${JSON.stringify([userId, sessionId])}`,
  );
  #local = PLAIN;

  constructor(memory: MemoryStore, now: () => number) {
    this.#memory = memory;
    this.#now = now;
  }

  /** Returns what this process knows of the session. Enough where no rule looks at it. */
  known(caller: Caller): FlowState {
    const marks = this.#marks(provenNames(caller));
    return marks.length === 0 ? NOTHING_SEEN : stateOf(marks);
  }

  /**
   * Reads what any process knows of the session; synchronously where no other can know more.
   * Rejects without the store.
   */
  fresh(caller: Caller): FlowState | Promise<FlowState> {
    const names = provenNames(caller);
    const marks = this.#marks(names);
    return isLocal(names) || marks.length === MARKS.length
      ? this.known(caller)
      : this.#read(this.#spaceOf(names), marks);
  }

  async #read(space: string, knownMarks: readonly Mark[]): Promise<FlowState> {
    const marks = [...knownMarks];
    for (const mark of MARKS) {
      if (marks.includes(mark)) continue;
      if ((await this.#memory.read(space, mark, this.#now())) !== undefined) marks.push(mark);
    }
    this.#named.set(space, marks);
    return stateOf(marks);
  }

  /** Adds the labels of a result. Returns nothing when the session carries them already. */
  absorb(caller: Caller, labels: Labels): Promise<void> | undefined {
    if (labels.trust === 'trusted' && labels.sensitivity === 'public') return undefined;
    const names = provenNames(caller);
    const before = this.#marks(names);
    const more = marksOf(labels).filter((mark) => !before.includes(mark));
    if (more.length === 0) return undefined;
    const marks = [...before, ...more];
    if (isLocal(names)) {
      this.#local = marks;
      return undefined;
    }
    const space = this.#spaceOf(names);
    this.#named.set(space, marks);
    return this.#keep(space, more);
  }

  #marks(names: CallerNames): readonly Mark[] {
    return isLocal(names) ? this.#local : (this.#named.get(this.#spaceOf(names)) ?? PLAIN);
  }

  async #keep(space: string, marks: readonly Mark[]): Promise<void> {
    const now = this.#now();
    const expiry = { at: now + KEEP_MS, now };
    for (const key of marks) await this.#memory.write({ space, key, value: true, expiry });
  }
}

const isLocal = ({ userId, sessionId }: CallerNames): boolean =>
  sessionId === LOCAL_CALLER.sessionId && userId === LOCAL_CALLER.userId;
