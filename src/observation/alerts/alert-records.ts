/**
 * Keeps the records of alerts in the store, for all its processes. Each has a seal: a store that came
 * with a cloned folder must neither silence an alert nor send notifications.
 */
import type { MemoryStore } from '../../contract/store.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { type AlertRecord, EMPTY_RECORD, noSubjects } from './alert-record.ts';

/** Out of reach for tools, whose memory spaces are named by JSON lists. */
export const ALERT_SPACE = 'toolcrib:alerts';

const MAX_TRIES = 10;

export interface AlertSeals {
  /** Signs a text; `undefined` when there is no key. */
  seal(text: string): Promise<string | undefined>;
  isOurs(text: string, seal: string | undefined): Promise<boolean>;
}

export interface AlertRecordsDeps {
  readonly memory: Pick<MemoryStore, 'read' | 'update'>;
  readonly seals: AlertSeals;
  now(): number;
}

interface SealedRecord {
  readonly record: AlertRecord;
  readonly seal?: string;
}

const keyOf = (id: string): string => `alert:${id}`;

const textOf = (id: string, record: AlertRecord): string =>
  `toolcrib alert 1\n${canonicalJson([id, record])}`;

const versionOf = (stored: unknown): number => {
  const { record } = Object(stored) as Partial<SealedRecord>;
  return typeof record?.version === 'number' ? record.version : 0;
};

const isSealed = (stored: unknown): stored is SealedRecord =>
  isRecord(stored) && isRecord(stored.record);

export class AlertRecords {
  readonly #deps: AlertRecordsDeps;

  constructor(deps: AlertRecordsDeps) {
    this.#deps = deps;
  }

  /** Reads a record; an empty one when there is none with a valid seal. */
  async read(id: string): Promise<AlertRecord> {
    const { memory, now } = this.#deps;
    return this.#opened(id, await memory.read(ALERT_SPACE, keyOf(id), now()));
  }

  /**
   * Changes a record and resolves to the result. `change` runs again when another process has changed the
   * record meanwhile; when it returns `undefined`, the record stays as it is. Rejects when the record
   * changes too often.
   */
  async change(
    id: string,
    change: (record: AlertRecord) => AlertRecord | undefined,
  ): Promise<AlertRecord> {
    const { memory, seals, now } = this.#deps;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const stored = await memory.read(ALERT_SPACE, keyOf(id), now());
      const before = await this.#opened(id, stored);
      const changed = change(before);
      if (changed === undefined) return before;
      const version = versionOf(stored);
      const record: AlertRecord = { ...changed, version: version + 1 };
      const seal = await seals.seal(textOf(id, record));
      let isWritten = false;
      const at = { space: ALERT_SPACE, key: keyOf(id), now: now() };
      await memory.update(at, (current) => {
        isWritten = versionOf(current) === version;
        return isWritten ? { record, ...(seal !== undefined && { seal }) } : current;
      });
      if (isWritten) return record;
    }
    throw new Error(`The record of the alert ${id} changes too often.`);
  }

  async #opened(id: string, stored: unknown): Promise<AlertRecord> {
    if (!isSealed(stored)) return EMPTY_RECORD;
    const { record, seal } = stored;
    if (!(await this.#deps.seals.isOurs(textOf(id, record), seal))) return EMPTY_RECORD;
    return { ...record, subjects: Object.assign(noSubjects(), record.subjects) };
  }
}
