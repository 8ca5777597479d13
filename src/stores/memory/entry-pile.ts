/**
 * Audit entries that nobody has read yet, kept so that the garbage collector has little to carry: on
 * the hot path of every call, keeping an object costs more than making one. What calls have in common
 * is kept once, numbers lie in one block, and only the id and the detail are kept for each.
 */
import type { AuditEntry } from '../../contract/audit.ts';

const SIZE = 1024;
const NUMBERS = 3;

/** What most calls share with the one before. */
type Common = Omit<AuditEntry, 'executionId' | 'at' | 'durationMs' | 'costMicros' | 'detail'>;

const isCommon = (common: Common, entry: AuditEntry): boolean =>
  common.tool === entry.tool &&
  common.status === entry.status &&
  common.kind === entry.kind &&
  common.userId === entry.userId &&
  common.sessionId === entry.sessionId &&
  common.agentId === entry.agentId &&
  common.code === entry.code &&
  common.tier === entry.tier &&
  common.version === entry.version;

class Block {
  readonly ids = new Array<string>(SIZE);
  readonly commons = new Array<Common>(SIZE);
  readonly details = new Array<AuditEntry['detail']>(SIZE);
  readonly numbers = new Float64Array(SIZE * NUMBERS);
  count = 0;

  put(entry: AuditEntry, common: Common): void {
    const at = this.count++;
    this.ids[at] = entry.executionId;
    this.commons[at] = common;
    this.details[at] = entry.detail;
    this.numbers[at * NUMBERS] = entry.at;
    this.numbers[at * NUMBERS + 1] = entry.durationMs;
    this.numbers[at * NUMBERS + 2] = entry.costMicros;
  }

  entries(): readonly AuditEntry[] {
    return Array.from({ length: this.count }, (_, at) => ({
      ...(this.commons[at] as Common),
      executionId: this.ids[at] as string,
      at: this.numbers[at * NUMBERS] as number,
      durationMs: this.numbers[at * NUMBERS + 1] as number,
      costMicros: this.numbers[at * NUMBERS + 2] as number,
      detail: this.details[at] as AuditEntry['detail'],
    }));
  }
}

export class EntryPile {
  #blocks: Block[] = [];
  #last: Block | undefined = undefined;
  #common: Common | undefined = undefined;

  put(entry: AuditEntry): void {
    if (!this.#common || !isCommon(this.#common, entry)) {
      const { kind, tool, version, tier, userId, agentId, sessionId, status, code } = entry;
      this.#common = { kind, tool, version, tier, userId, agentId, sessionId, status, code };
    }
    if (!this.#last || this.#last.count === SIZE) {
      this.#last = new Block();
      this.#blocks.push(this.#last);
    }
    this.#last.put(entry, this.#common);
  }

  /** All of them, oldest first; the pile is empty afterwards. */
  take(): readonly AuditEntry[] {
    const entries = this.#blocks.flatMap((block) => block.entries());
    this.#blocks = [];
    this.#last = undefined;
    return entries;
  }
}
