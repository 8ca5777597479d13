/**
 * Holds the audit rows of read-only calls made in one turn of a flow until they are written with its steps: one
 * transaction instead of one for each call. No result leaves the run before they are written.
 */
import type { AuditEntry } from '../../contract/audit.ts';
import type { RunRecordsHandle, WriteRecords } from '../../contract/call-options.ts';

/** Its private field keeps others from making one. */
export class RunRecords implements RunRecordsHandle {
  #waiting: AuditEntry[] = [];
  #write: WriteRecords = () => Promise.resolve();
  #isOver = false;

  static is(value: unknown): value is RunRecords {
    return typeof value === 'object' && value !== null && #waiting in value;
  }

  /** Keeps a record; after the turn it is written at once, and the promise of that is returned. */
  add(entry: AuditEntry, write: WriteRecords): Promise<void> | undefined {
    if (this.#isOver) return write([entry]);
    this.#waiting.push(entry);
    this.#write = write;
    return undefined;
  }

  /** Writes what waits, in the same tick. */
  flush(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return this.#write(waiting);
  }

  /** Writes what waits; later records are written as they come. */
  end(): Promise<void> | undefined {
    this.#isOver = true;
    return this.flush();
  }
}

/** Tells whether a tool cannot have sent anything out: it is no sink, and reaches no host and no program. */
export const staysInside = ({
  needs,
  sink,
}: {
  readonly needs?: { readonly hosts?: readonly string[]; readonly commands?: readonly string[] };
  readonly sink?: true;
}): boolean => sink !== true && !needs?.hosts?.length && !needs?.commands?.length;
