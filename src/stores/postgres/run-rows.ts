/** Writes runs and steps as the server stores them, and exchanges one state of a run for the next. */
import type { FlowRun, JournalStep } from '../../contract/flow-store.ts';
import { toSqlText } from '../../kit/text/sql-text.ts';
import { takenEvents } from '../flow-run.ts';
import { recordText } from '../plain-json.ts';
import { jsonNumber } from './database/json-number.ts';
import { toKeyText } from './database/key-text.ts';
import type { PostgresDeps } from './postgres-deps.ts';

export interface RunRow {
  readonly record: string;
  readonly owner: string | null;
  readonly revision: number;
}

export interface ReadRun {
  readonly run: FlowRun;
  readonly owner: string | null;
  readonly revision: number;
}

export type Exchanged = 'done' | 'changed' | 'held' | 'news' | 'full';

/** Returns the run as the server stores it. */
export const toFields = (run: FlowRun): object => ({
  id: toKeyText(run.id),
  flow: toSqlText(run.flow),
  userId: toSqlText(run.caller.userId),
  status: run.status,
  // A run that is worked on is due at once when its process dies.
  wakeAt: run.status === 'running' ? 0 : jsonNumber(run.wakeAt),
  createdAt: jsonNumber(run.createdAt),
  updatedAt: jsonNumber(run.updatedAt),
  epoch: run.epoch,
  record: recordText(run),
});

interface StepRows {
  /** Key and record of each step. */
  readonly steps: readonly (readonly [string, string])[];
  /** The events that the steps have taken. */
  readonly taken: readonly number[];
}

export const stepRows = (steps: readonly JournalStep[]): StepRows => ({
  steps: steps.map((step) => [toKeyText(step.key), recordText(step)]),
  taken: takenEvents(steps),
});

export interface Exchange extends Partial<StepRows> {
  /** Without it, only the event is written. */
  readonly next: FlowRun | undefined;
  /** Who owns the run afterwards; nobody when absent. */
  readonly holder?: 'me' | 'same';
  /** Changes nothing while a process that is alive owns the run. */
  readonly ifFree?: boolean;
  /** Changes nothing when an event came after this one. */
  readonly seenEvent?: number;
  readonly event?: string;
  /** Changes nothing, for an event, when as many wait to be taken. */
  readonly maxEvents?: number;
  /** The same for their bytes, this one included. */
  readonly maxEventBytes?: number;
}

/** Exchanges a run for its next state, unless it has changed since it was read. */
export const exchangeRun = (
  { writers }: PostgresDeps,
  read: ReadRun,
  { next, ...more }: Exchange,
): Promise<Exchanged> =>
  writers.flows.write<Exchanged>({
    op: 'exchange',
    ...(next ? toFields(next) : { id: toKeyText(read.run.id) }),
    revision: read.revision,
    ...more,
  });
