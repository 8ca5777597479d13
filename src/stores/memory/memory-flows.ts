/** Flows in memory: for as long as the process lives, which owns every run. */
import {
  type ChangeOptions,
  type ClaimRequest,
  type CreateOptions,
  FINISHED,
  type FlowEvent,
  type FlowFilter,
  type FlowRun,
  type Flows,
  type JournalStep,
  MAX_EVENT_BYTES_WAITING,
  MAX_EVENTS,
  type ReleaseOptions,
  type RunChange,
  type RunClaim,
} from '../../contract/flow-store.ts';
import { jsonValue } from '../../kit/data/json-value.ts';
import {
  changedRun,
  DEFAULT_LIMIT,
  fitsFilter,
  isClaimable,
  notOwned,
  takenEvents,
  takenRun,
  tooManyEvents,
  waitsForAnswer,
  wakes,
} from '../flow-run.ts';
import { jsonCopy } from '../plain-json.ts';

interface HeldRun {
  run: FlowRun;
  isOwned: boolean;
  /** Handed over by whoever wrote them; whoever reads one gets a copy. */
  readonly steps: Map<string, JournalStep>;
  /** Those that no step on record has taken. */
  readonly events: Map<number, HeldEvent>;
}

interface HeldEvent {
  readonly event: FlowEvent;
  readonly bytes: number;
}

/** Tells whether a run may keep one more event, of so many bytes. */
const hasRoom = ({ events }: HeldRun, bytes: number): boolean => {
  let sum = bytes;
  for (const each of events.values()) sum += each.bytes;
  return events.size < MAX_EVENTS && sum <= MAX_EVENT_BYTES_WAITING;
};

const isDue = ({ run, isOwned }: HeldRun, now: number): boolean =>
  !isOwned && !FINISHED.has(run.status) && run.wakeAt !== undefined && run.wakeAt <= now;

/** Copies a step as JSON gives it back. None is written as text: that took a tenth of a step's time. */
const stepCopy = (step: JournalStep): JournalStep => {
  try {
    return jsonValue(step) as JournalStep;
  } catch {
    // Says which values can be kept.
    return jsonCopy(step);
  }
};

export class MemoryFlows implements Flows {
  readonly #runs = new Map<string, HeldRun>();
  #lastEvent = 0;

  async create(
    run: FlowRun,
    { steps = [], isReleased = false }: CreateOptions = {},
  ): Promise<boolean> {
    if (this.#runs.has(run.id)) return false;
    const records = new Map(steps.map((step) => [step.key, step]));
    const held = { run: jsonCopy(run), isOwned: !isReleased, steps: records, events: new Map() };
    this.#runs.set(run.id, held);
    return true;
  }

  async get(runId: string): Promise<FlowRun | undefined> {
    return this.#runs.get(runId)?.run;
  }

  async list(filter: FlowFilter = {}): Promise<readonly FlowRun[]> {
    const runs = [...this.#runs.values()].map(({ run }) => run);
    const fitting = runs.filter((run) => fitsFilter(run, filter)).reverse();
    return fitting.slice(0, filter.limit ?? DEFAULT_LIMIT);
  }

  async waitingForAnswer(limit: number): Promise<readonly FlowRun[]> {
    const runs = [...this.#runs.values()].map(({ run }) => run);
    return runs.filter(waitsForAnswer).reverse().slice(0, limit);
  }

  async claim(request: ClaimRequest): Promise<readonly FlowRun[]> {
    const { now, limit } = request;
    const due = [...this.#runs.values()]
      .filter((held) => isDue(held, now) && isClaimable(held.run, request))
      .slice(0, limit);
    for (const held of due) {
      held.isOwned = true;
      held.run = takenRun(held.run, now);
    }
    return due.map(({ run }) => run);
  }

  async unclaimed({ now, flows, limit }: ClaimRequest): Promise<readonly FlowRun[]> {
    return [...this.#runs.values()]
      .filter((held) => isDue(held, now) && !flows.has(`${held.run.flow}@${held.run.version}`))
      .slice(0, limit)
      .map(({ run }) => run);
  }

  async lost(claims: readonly RunClaim[]): Promise<readonly string[]> {
    const isLost = ({ id, epoch }: RunClaim): boolean => {
      const held = this.#runs.get(id);
      return held !== undefined && !(held.isOwned && held.run.epoch === epoch);
    };
    return claims.filter(isLost).map(({ id }) => id);
  }

  async steps(runId: string): Promise<readonly JournalStep[]> {
    return Array.from(this.#runs.get(runId)?.steps.values() ?? [], stepCopy);
  }

  async record(claim: RunClaim, steps: readonly JournalStep[]): Promise<void> {
    const held = this.#owned(claim);
    for (const step of steps) held.steps.set(step.key, step);
    for (const id of takenEvents(steps)) held.events.delete(id);
  }

  async release(
    claim: RunClaim,
    change: RunChange,
    { steps = [], seenEvent }: ReleaseOptions = {},
  ): Promise<FlowRun> {
    await this.record(claim, steps);
    const held = this.#owned(claim);
    const last = [...held.events.keys()].at(-1) ?? 0;
    const isNews = seenEvent !== undefined && last > seenEvent && !FINISHED.has(change.status);
    const news = isNews ? { wakeAt: change.updatedAt } : {};
    held.run = jsonCopy(changedRun(held.run, { ...change, ...news }));
    held.isOwned = false;
    return held.run;
  }

  async change(
    runId: string,
    change: RunChange,
    { onlyIdle = false }: ChangeOptions = {},
  ): Promise<boolean> {
    const held = this.#open(runId);
    if (!held || (onlyIdle && held.isOwned)) return false;
    const { epoch } = held.run;
    held.run = jsonCopy({ ...changedRun(held.run, change), epoch: epoch + 1 });
    held.isOwned = false;
    return true;
  }

  async send(runId: string, event: Omit<FlowEvent, 'id'>): Promise<boolean> {
    const held = this.#open(runId);
    if (!held) return false;
    const copy = jsonCopy(event);
    const bytes = Buffer.byteLength(JSON.stringify(copy));
    if (!hasRoom(held, bytes)) throw tooManyEvents(runId);
    this.#lastEvent += 1;
    const id = this.#lastEvent;
    held.events.set(id, { event: { ...copy, id }, bytes });
    if (wakes(held.run, event)) held.run = { ...held.run, wakeAt: event.at };
    return true;
  }

  async wake(runId: string, now: number): Promise<void> {
    const held = this.#open(runId);
    if (held?.run.status === 'waiting') held.run = { ...held.run, wakeAt: now };
  }

  async events(runId: string, after = 0, limit = MAX_EVENTS): Promise<readonly FlowEvent[]> {
    const events = this.#runs.get(runId)?.events.values() ?? [];
    return Array.from(events, ({ event }) => event)
      .filter(({ id }) => id > after)
      .slice(0, limit);
  }

  async eventNames(runId: string, after?: number, limit?: number) {
    return (await this.events(runId, after, limit)).map(({ id, name }) => ({ id, name }));
  }

  async expire(before: number): Promise<number> {
    const old = [...this.#runs.values()].filter(
      ({ run }) => FINISHED.has(run.status) && run.updatedAt < before,
    );
    for (const { run } of old) this.#runs.delete(run.id);
    return old.length;
  }

  #owned({ id, epoch }: RunClaim): HeldRun {
    const held = this.#runs.get(id);
    if (!held?.isOwned || held.run.epoch !== epoch) throw notOwned(id);
    return held;
  }

  #open(runId: string): HeldRun | undefined {
    const held = this.#runs.get(runId);
    return held && !FINISHED.has(held.run.status) ? held : undefined;
  }
}
