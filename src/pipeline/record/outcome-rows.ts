/** Writes the outcomes of calls to the audit trail, later where the store fails now. */
import type { AuditEntry, AuditLog } from '../../contract/audit.ts';
import type { CallRequest } from '../../contract/call.ts';
import type { WriteRecords } from '../../contract/call-options.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { evidenceOf } from '../pipeline.ts';
import { auditEntry, hasIntent } from './audit-entry.ts';
import type { LateWrites } from './late-writes.ts';
import { staysInside } from './run-records.ts';

export interface OutcomeRowsDeps {
  readonly audit: Pick<AuditLog, 'append' | 'query'>;
  readonly late: Pick<LateWrites, 'add' | 'addCleanUp'>;
  readonly redactor: Redactor;
  readonly policy: Pick<Policy, 'version'>;
}

/** Enough to tell one version of the rules from another. */
const VERSION_CHARS = 16;

/** Writes an outcome again that the store may have missed. */
const writeLate = async (entry: AuditEntry, { audit }: OutcomeRowsDeps): Promise<void> => {
  const { executionId } = entry;
  const [row] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
  if (!row) await audit.append({ ...entry, detail: { ...entry.detail, late: true } }, 'synced');
};

/** Tells whether the row may be written later, with the steps of its run: only the flow has seen the result. */
const mayWait = (call: CallRequest, result: ToolResult): boolean => {
  const tool = evidenceOf(call).ready?.tool;
  return result.success && tool !== undefined && staysInside(tool);
};

export class OutcomeRows {
  readonly #deps: OutcomeRowsDeps;
  readonly #policy: string;

  constructor(deps: OutcomeRowsDeps) {
    this.#deps = deps;
    this.#policy = deps.policy.version.slice(0, VERSION_CHARS);
  }

  /** Writes the row of a call. Returns nothing where it is written at once, or later with the steps of a run. */
  write(call: CallRequest, result: ToolResult): Promise<void> | undefined {
    const { audit } = this.#deps;
    const entry = this.#entryOf(call, result);
    if (call.notes.effectPossible) return audit.append(entry, 'synced');
    const { runRecords } = call.options;
    if (runRecords && mayWait(call, result)) return runRecords.add(entry, this.#writeGathered);
    return audit.append(entry, 'written');
  }

  /**
   * Writes the row of a call that may have changed something, or whose intent may be on record, once the
   * store can be written again. Where nothing was changed, withholding the result is enough: nobody has
   * seen it. The row is made anew, so that no call holds it while it is written. That of a call whose intent
   * was refused only closes what may be on record all the same.
   */
  writeLater(call: CallRequest, result: ToolResult): void {
    const { effectPossible, intentTried } = call.notes;
    if (effectPossible || hasIntent(call)) this.#retry([this.#entryOf(call, result)]);
    else if (intentTried) {
      const entry = this.#entryOf(call, result);
      this.#deps.late.addCleanUp(() => writeLate(entry, this.#deps));
    }
  }

  #entryOf(call: CallRequest, result: ToolResult): AuditEntry {
    const at = call.startedAt + Math.round(result.metadata.duration + call.notes.waitedMs);
    const { redactor } = this.#deps;
    return auditEntry('outcome', call, { result, redactor, at, policy: this.#policy });
  }

  #retry(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.#deps.late.add(() => writeLate(entry, this.#deps));
  }

  /** Writes the rows that a run has gathered: only the run has seen the results. */
  readonly #writeGathered: WriteRecords = async (entries) => {
    // Entries of one tick are one group, with one promise.
    const writing = new Set<Promise<void>>();
    try {
      for (const entry of entries) {
        const written = this.#deps.audit.append(entry, 'written');
        if (written) writing.add(written);
      }
      await Promise.all(writing);
    } catch (error) {
      // A store may throw after it has begun to write others.
      void Promise.allSettled(writing);
      this.#retry(entries);
      throw error;
    }
  };
}
