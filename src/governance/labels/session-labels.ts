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
  /** Marks on their way to the store, by session. Results that rely on them wait, too. */
  readonly #writing = new Map<string, Promise<void>>();
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
    const read = [...knownMarks];
    for (const mark of MARKS) {
      if (read.includes(mark)) continue;
      if ((await this.#memory.read(space, mark, this.#now())) !== undefined) read.push(mark);
    }
    // A result may have added marks in the meantime.
    const added = this.#named.get(space) ?? PLAIN;
    const marks = MARKS.filter((mark) => read.includes(mark) || added.includes(mark));
    this.#named.set(space, marks);
    return stateOf(marks);
  }

  /**
   * Adds the labels of a result. Returns nothing when they are on record already. Rejects when they
   * cannot be recorded: other processes would not know of them.
   */
  absorb(caller: Caller, labels: Labels): Promise<void> | undefined {
    if (labels.trust === 'trusted' && labels.sensitivity === 'public') return undefined;
    const names = provenNames(caller);
    const before = this.#marks(names);
    const more = marksOf(labels).filter((mark) => !before.includes(mark));
    const marks = more.length === 0 ? before : [...before, ...more];
    if (isLocal(names)) {
      this.#local = marks;
      return undefined;
    }
    const space = this.#spaceOf(names);
    if (more.length === 0) return this.#writing.get(space);
    this.#named.set(space, marks);
    const writing = this.#keep(space, more, this.#writing.get(space)).finally(() => {
      if (this.#writing.get(space) === writing) this.#writing.delete(space);
    });
    this.#writing.set(space, writing);
    return writing;
  }

  #marks(names: CallerNames): readonly Mark[] {
    return isLocal(names) ? this.#local : (this.#named.get(this.#spaceOf(names)) ?? PLAIN);
  }

  /** Writes marks. After a failure they count as not known, so that the next result writes them again. */
  async #keep(
    space: string,
    marks: readonly Mark[],
    earlier: Promise<void> | undefined,
  ): Promise<void> {
    const now = this.#now();
    const expiry = { at: now + KEEP_MS, now };
    const write = (key: Mark) => this.#memory.write({ space, key, value: true, expiry });
    try {
      await Promise.all([earlier, ...marks.map(write)]);
    } catch (error) {
      this.#named.delete(space);
      throw error;
    }
  }
}

const isLocal = ({ userId, sessionId }: CallerNames): boolean =>
  sessionId === LOCAL_CALLER.sessionId && userId === LOCAL_CALLER.userId;
