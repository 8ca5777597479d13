/**
 * Audit entries that nobody has read yet, kept so that the garbage collector has little to carry: on
 * the hot path of every call, keeping an object costs more than making one. What calls have in common
 * is kept once, numbers lie in one block, and only the id and the detail are kept for each.
 */
import type { AuditEntry } from '../../contract/audit.ts';

const SIZE = 1024;
const NUMBERS = 3;

/** What most calls share with the one before. */
type Common = Omit<AuditEntry, 'executionId' | 'at' | 'durationMs' | 'costMicros' | 'detail'> & {
  readonly rule: unknown;
};

const isCommon = (common: Common, entry: AuditEntry): boolean =>
  common.tool === entry.tool &&
  common.status === entry.status &&
  common.kind === entry.kind &&
  common.userId === entry.userId &&
  common.sessionId === entry.sessionId &&
  common.agentId === entry.agentId &&
  common.code === entry.code &&
  common.tier === entry.tier &&
  common.version === entry.version &&
  common.rule === entry.detail.rule;

/** Most details are a rule and an input: then the input alone is kept, and the rule once for many. */
const isUsual = (detail: AuditEntry['detail']): boolean => {
  let keys = 0;
  for (const key in detail) if (++keys > 2 || (key !== 'rule' && key !== 'input')) return false;
  return keys === 2;
};

class Block {
  readonly ids = new Array<string>(SIZE);
  readonly commons = new Array<Common>(SIZE);
  /** The detail, or only its input where `usual` says so. */
  readonly details = new Array<unknown>(SIZE);
  readonly usual = new Uint8Array(SIZE);
  readonly numbers = new Float64Array(SIZE * NUMBERS);
  count = 0;

  put(entry: AuditEntry, common: Common): void {
    const at = this.count++;
    this.ids[at] = entry.executionId;
    this.commons[at] = common;
    const { detail } = entry;
    if (isUsual(detail)) {
      this.usual[at] = 1;
      this.details[at] = detail.input;
    } else this.details[at] = detail;
    this.numbers[at * NUMBERS] = entry.at;
    this.numbers[at * NUMBERS + 1] = entry.durationMs;
    this.numbers[at * NUMBERS + 2] = entry.costMicros;
  }

  entries(): readonly AuditEntry[] {
    return Array.from({ length: this.count }, (_, at) => this.#entry(at));
  }

  #entry(at: number): AuditEntry {
    const { rule, ...common } = this.commons[at] as Common;
    const kept = this.details[at];
    return {
      ...common,
      executionId: this.ids[at] as string,
      at: this.numbers[at * NUMBERS] as number,
      durationMs: this.numbers[at * NUMBERS + 1] as number,
      costMicros: this.numbers[at * NUMBERS + 2] as number,
      detail: this.usual[at] ? { rule, input: kept } : (kept as AuditEntry['detail']),
    };
  }
}

export class EntryPile {
  #blocks: Block[] = [];
  #last: Block | undefined = undefined;
  #common: Common | undefined = undefined;

  put(entry: AuditEntry): void {
    if (!this.#common || !isCommon(this.#common, entry)) {
      const {
        executionId: _,
        at: _at,
        durationMs: _ms,
        costMicros: _cost,
        detail,
        ...rest
      } = entry;
      this.#common = { ...rest, rule: detail.rule };
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
