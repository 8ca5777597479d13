/**
 * Flows in PostgreSQL. A run carries its owner, so that those of a process that is gone can be taken
 * over. A change is computed here and exchanged for what was read; see flow-functions.ts.
 */
import type { Durability } from '../../contract/audit.ts';
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
import { toSqlText } from '../../kit/text/sql-text.ts';
import {
  ANSWER_MARKS,
  changedRun,
  DEFAULT_LIMIT,
  EVENT_HEAD,
  nameInHead,
  notOwned,
  parseRecord,
  tooManyEvents,
  waitsForAnswer,
  wakes,
} from '../flow-run.ts';
import { recordText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import { toKeyText } from './database/key-text.ts';
import type { Statement } from './database/open-database.ts';
import type { PostgresDeps } from './postgres-deps.ts';
import { RunClaims } from './run-claims.ts';
import {
  type Exchanged,
  exchangeRun,
  type ReadRun,
  type RunRow,
  stepRows,
  toFields,
} from './run-rows.ts';

export class PostgresFlows implements Flows {
  readonly #deps: PostgresDeps;
  readonly #claims: RunClaims;
  readonly #find: Statement;
  readonly #holders: Statement;
  readonly #list: Statement;
  readonly #waitingForAnswer: Statement;
  readonly #steps: Statement;
  readonly #events: Statement;
  readonly #eventHeads: Statement;

  constructor(deps: PostgresDeps) {
    this.#deps = deps;
    this.#claims = new RunClaims(deps);
    const prepare = (sql: string) => deps.database.prepare(sql);
    this.#find = prepare('SELECT record, owner, revision FROM @flow_runs WHERE id = $1');
    this.#holders = prepare('SELECT id, owner, epoch FROM @flow_runs WHERE id = ANY ($1)');
    this.#list = prepare(
      `SELECT record FROM @flow_runs WHERE status = coalesce($1, status)
       AND flow = coalesce($2, flow) AND user_id = coalesce($3, user_id)
       AND created_at < coalesce($4::float8, 'Infinity')
       ORDER BY created_at DESC, id DESC LIMIT $5`,
    );
    const mayWait = ANSWER_MARKS.map((mark) => `position('${mark}' IN record) > 0`).join(' OR ');
    this.#waitingForAnswer = prepare(
      `SELECT record FROM @flow_runs WHERE status = 'waiting' AND (${mayWait})
       ORDER BY created_at DESC, id DESC LIMIT $1`,
    );
    this.#steps = prepare('SELECT record FROM @flow_steps WHERE run_id = $1 ORDER BY position');
    this.#events = prepare(
      'SELECT id, record FROM @flow_events WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3',
    );
    this.#eventHeads = prepare(
      `SELECT id, left(record, ${EVENT_HEAD}) AS head FROM @flow_events
       WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    );
  }

  create(run: FlowRun, { steps = [], isReleased = false }: CreateOptions = {}): Promise<boolean> {
    const operation = { op: 'create', ...toFields(run), ...stepRows(steps), isReleased };
    const create = () => this.#deps.writers.flows.write<boolean>(operation);
    return isReleased ? create() : this.#claims.create(run, create);
  }

  async get(runId: string): Promise<FlowRun | undefined> {
    return (await this.#read(runId))?.run;
  }

  async list(filter: FlowFilter = {}): Promise<readonly FlowRun[]> {
    const { status = null, flow, userId, before = null, limit = DEFAULT_LIMIT } = filter;
    const text = (value: string | undefined) => (value === undefined ? null : toSqlText(value));
    const rows = await this.#list.all<RunRow>(status, text(flow), text(userId), before, limit);
    return rows.map((row) => parseRecord(row));
  }

  async waitingForAnswer(limit: number): Promise<readonly FlowRun[]> {
    const rows = await this.#waitingForAnswer.all<RunRow>(limit);
    return rows.map((row) => parseRecord<FlowRun>(row)).filter(waitsForAnswer);
  }

  claim(request: ClaimRequest): Promise<readonly FlowRun[]> {
    return this.#claims.claim(request);
  }

  unclaimed(request: ClaimRequest): Promise<readonly FlowRun[]> {
    return this.#claims.unclaimed(request);
  }

  async lost(claims: readonly RunClaim[]): Promise<readonly string[]> {
    const ids = new Map(claims.map(({ id, epoch }) => [toKeyText(id), { id, epoch }]));
    const rows = await this.#holders.all<{ id: string; owner: string | null; epoch: number }>([
      ...ids.keys(),
    ]);
    const isLost = (row: (typeof rows)[number]): boolean =>
      row.owner !== this.#deps.owner.id || row.epoch !== ids.get(row.id)?.epoch;
    return rows.flatMap((row) => (isLost(row) ? (ids.get(row.id)?.id ?? []) : []));
  }

  async steps(runId: string): Promise<readonly JournalStep[]> {
    const rows = await this.#steps.all<RunRow>(toKeyText(runId));
    return rows.map((row) => parseRecord<JournalStep>(row));
  }

  async record(
    { id, epoch }: RunClaim,
    steps: readonly JournalStep[],
    durability: Durability = 'written',
  ): Promise<void> {
    const operation = {
      op: 'steps',
      id: toKeyText(id),
      epoch,
      ...stepRows(steps),
    };
    const isOwned = await this.#deps.writers.flows.write<boolean>(operation, durability);
    if (!isOwned) throw notOwned(id);
  }

  async release(
    claim: RunClaim,
    change: RunChange,
    { steps = [], seenEvent }: ReleaseOptions = {},
  ): Promise<FlowRun> {
    const rows = stepRows(steps);
    let seen = seenEvent;
    for (;;) {
      const read = await this.#read(claim.id);
      const isOwned = read?.owner === this.#deps.owner.id && read.run.epoch === claim.epoch;
      if (!read || !isOwned) throw notOwned(claim.id);
      const run = changedRun(read.run, change);
      const isNews = seenEvent !== undefined && seen === undefined;
      const isOpen = !FINISHED.has(run.status);
      const next = isNews && isOpen ? { ...run, wakeAt: change.updatedAt } : run;
      const result = await exchangeRun(this.#deps, read, {
        next,
        ...rows,
        ...(isOpen && seen !== undefined && { seenEvent: seen }),
      });
      if (result === 'done') return next;
      if (result === 'news') seen = undefined;
    }
  }

  async change(
    runId: string,
    change: RunChange,
    { onlyIdle = false }: ChangeOptions = {},
  ): Promise<boolean> {
    return this.#changeOpen(runId, (read) => {
      const next = { ...changedRun(read.run, change), epoch: read.run.epoch + 1 };
      return exchangeRun(this.#deps, read, { next, ifFree: onlyIdle });
    });
  }

  async send(runId: string, event: Omit<FlowEvent, 'id'>): Promise<boolean> {
    const text = recordText(event);
    return this.#changeOpen(runId, async (read) => {
      const next = wakes(read.run, event) ? { ...read.run, wakeAt: event.at } : undefined;
      const limits = { maxEvents: MAX_EVENTS, maxEventBytes: MAX_EVENT_BYTES_WAITING };
      const sent = { holder: 'same', event: text, ...limits } as const;
      const result = await exchangeRun(this.#deps, read, { next, ...sent });
      if (result === 'full') throw tooManyEvents(runId);
      return result;
    });
  }

  async wake(runId: string, now: number): Promise<void> {
    await this.#changeOpen(runId, async (read) => {
      if (read.run.status !== 'waiting') return 'done';
      return exchangeRun(this.#deps, read, { next: { ...read.run, wakeAt: now }, holder: 'same' });
    });
  }

  async events(runId: string, after = 0, limit = MAX_EVENTS): Promise<readonly FlowEvent[]> {
    type EventRow = { readonly id: number; readonly record: string };
    const rows = await this.#events.all<EventRow>(toKeyText(runId), after, limit);
    return rows.map(({ id, record }) => ({
      ...parseRecord<Omit<FlowEvent, 'id'>>({ record }),
      id,
    }));
  }

  async eventNames(runId: string, after = 0, limit = MAX_EVENTS) {
    type HeadRow = { readonly id: number; readonly head: string };
    const rows = await this.#eventHeads.all<HeadRow>(toKeyText(runId), after, limit);
    return Promise.all(
      rows.map(async ({ id, head }) => {
        const name = nameInHead(head) ?? (await this.events(runId, id - 1, 1))[0]?.name ?? '';
        return { id, name };
      }),
    );
  }

  expire(before: number): Promise<number> {
    return this.#deps.writers.flows.write<number>({ op: 'expire', before: jsonNumber(before) });
  }

  /**
   * Repeats an exchange until the run did not change meanwhile. False for one that is finished, unknown
   * or held by a process that is alive.
   */
  async #changeOpen(
    runId: string,
    exchange: (read: ReadRun) => Promise<Exchanged>,
  ): Promise<boolean> {
    for (;;) {
      const read = await this.#read(runId);
      if (!read || FINISHED.has(read.run.status)) return false;
      const result = await exchange(read);
      if (result === 'done' || result === 'held') return result === 'done';
    }
  }

  async #read(runId: string): Promise<ReadRun | undefined> {
    const row = await this.#find.get<RunRow>(toKeyText(runId));
    return row && { run: parseRecord(row), owner: row.owner, revision: row.revision };
  }
}
