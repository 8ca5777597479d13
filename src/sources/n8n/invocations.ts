/** Keeps the records of workflows that answer later. Every change is one step in the store. */
import type {
  CompletionOutcome,
  Invocation,
  InvocationCompletion,
} from '../../contract/invocation.ts';
import type { MemoryStore } from '../../contract/store.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { uuidV7 } from '../../kit/data/uuid-v7.ts';

export interface InvocationsDeps {
  now(): number;
  memory(): Promise<MemoryStore>;
}

export type NewInvocation = Omit<Invocation, 'id' | 'status' | 'createdAt'>;

export interface Invocations {
  /** Returns the record of this user and key: a new one, or the one that is there. */
  claim(invocation: NewInvocation): Promise<Invocation>;
  get(id: string): Promise<Invocation | undefined>;
  /** Claims the delivery for a call and all its attempts. False for any other call. */
  begin(id: string, delivery: string): Promise<boolean>;
  /** Notes that the service has accepted it. */
  started(id: string, executionId: string | undefined): Promise<void>;
  /**
   * Notes that it could not be delivered, and returns the record that this has ended; does nothing where
   * it is over already.
   */
  failed(id: string, error: string): Promise<Invocation | undefined>;
  /** Takes the answer of a workflow of this source, once. */
  complete(source: string, completion: InvocationCompletion): Promise<CompletionOutcome>;
}

/** No memory of a tool has a space of this form. */
const SPACE = 'toolcrib:invocations';
/** How long a record is kept. */
const KEPT_MS = 30 * DAY_MS;

interface Claim {
  readonly id: string;
  readonly createdAt: number;
}

const isInvocation = (value: unknown): value is Invocation =>
  isRecord(value) && typeof value.id === 'string' && typeof value.source === 'string';

const recordKey = (id: string): string => `record:${id}`;

/** Keeps users apart: a key that another one has used gives no access to its record. */
const claimKey = ({ userId, idempotencyKey }: NewInvocation): string =>
  `key:${digestOf([userId, idempotencyKey])}`;

const isOver = ({ status }: Invocation): boolean => status === 'success' || status === 'failure';

const completed = (
  record: Invocation,
  { success, output, error }: InvocationCompletion,
  now: number,
): Invocation => {
  const { output: _output, error: _error, ...rest } = record;
  return {
    ...rest,
    status: success ? 'success' : 'failure',
    endedBy: 'callback',
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    completedAt: now,
    durationMs: now - record.createdAt,
  };
};

const begun = (record: Invocation, delivery: string): Invocation =>
  record.status === 'pending' && record.delivery === undefined ? { ...record, delivery } : record;

const running =
  (executionId: string | undefined) =>
  (record: Invocation): Invocation =>
    isOver(record)
      ? record
      : { ...record, status: 'running', ...(executionId !== undefined && { executionId }) };

const undelivered =
  (error: string, completedAt: number) =>
  (record: Invocation): Invocation =>
    isOver(record)
      ? record
      : {
          ...record,
          status: 'failure',
          error,
          endedBy: 'delivery',
          completedAt,
          durationMs: completedAt - record.createdAt,
        };

/** Claims the key for this user in one step, then writes the record. */
const claimIn = async (
  store: MemoryStore,
  invocation: NewInvocation,
  at: number,
): Promise<Invocation> => {
  const fresh: Claim = { id: uuidV7(at), createdAt: at };
  const claimed = { space: SPACE, key: claimKey(invocation) };
  const present = await store.update({ ...claimed, now: at }, (value) => value ?? fresh);
  const claim = present as Claim;
  const record: Invocation = { ...invocation, ...claim, status: 'pending' };
  const place = { space: SPACE, key: recordKey(claim.id) };
  if (claim.id === fresh.id) {
    // Updates keep the end that an entry was written with.
    const expiry = { at: at + KEPT_MS, now: at };
    await store.write({ ...claimed, value: claim, expiry });
    await store.write({ ...place, value: record, expiry });
    return record;
  }
  // Missing where the process that claimed the key has died in between.
  return (await store.update({ ...place, now: at }, (value) => value ?? record)) as Invocation;
};

export const createInvocations = ({ now, memory }: InvocationsDeps): Invocations => {
  const get = async (id: string): Promise<Invocation | undefined> => {
    const value = await (await memory()).read(SPACE, recordKey(id), now());
    return isInvocation(value) ? value : undefined;
  };
  /** Changes a record that is there; returns `undefined` where there is none. */
  const change = async (
    id: string,
    make: (record: Invocation) => Invocation,
  ): Promise<Invocation | undefined> => {
    // An update would make an entry for an id that nobody has.
    if (!(await get(id))) return undefined;
    const at = { space: SPACE, key: recordKey(id), now: now() };
    const value = await (await memory()).update(at, (present) =>
      isInvocation(present) ? make(present) : present,
    );
    return isInvocation(value) ? value : undefined;
  };
  return {
    get,
    claim: async (invocation) => claimIn(await memory(), invocation, now()),
    begin: async (id, delivery) => {
      const record = await change(id, (present) => begun(present, delivery));
      return record?.status === 'pending' && record.delivery === delivery;
    },
    started: async (id, executionId) => void (await change(id, running(executionId))),
    failed: async (id, error) => {
      let isEnded = false;
      const record = await change(id, (present) => {
        isEnded = !isOver(present);
        return undelivered(error, now())(present);
      });
      return isEnded ? record : undefined;
    },
    complete: async (source, completion) => {
      let outcome: CompletionOutcome = 'unknown';
      await change(completion.invocationId, (record) => {
        outcome = 'unknown';
        if (record.source !== source) return record;
        outcome = record.endedBy === 'callback' ? 'ignored' : 'completed';
        return outcome === 'ignored' ? record : completed(record, completion, now());
      });
      return outcome;
    },
  };
};
