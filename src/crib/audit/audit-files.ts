/**
 * Works on the audit trail outside of calls: makes checkpoints, exports rows, removes old ones, and verifies
 * stores, exports and archives. Keys and checkpoints lie in the user's configuration folder.
 */
import { join } from 'node:path';
import type { AuditCheckpoint, AuditVerification } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import {
  type CheckpointState,
  readCheckpointState,
} from '../../governance/audit/auto-checkpoints.ts';
import { makeCheckpoint } from '../../governance/audit/checkpoint.ts';
import { recallCheckpoints, rememberCheckpoint } from '../../governance/audit/checkpoint-book.ts';
import type { StoredCheckpoints } from '../../governance/audit/checkpoint-rows.ts';
import {
  type ExportOptions,
  type ExportPart,
  exportAudit,
} from '../../governance/audit/export-audit.ts';
import {
  foreseePrune,
  type Pruned,
  type PruneOptions,
  pruneAudit,
} from '../../governance/audit/prune-audit.ts';
import {
  type OldRowsOptions,
  type OldRowsPruned,
  pruneOldRows,
} from '../../governance/audit/prune-old-rows.ts';
import { type VerifyLogOptions, verifyAuditLog } from '../../governance/audit/verify-audit.ts';
import { verifyAuditFiles } from '../../governance/audit/verify-audit-files.ts';
import { isPublicKey } from '../../governance/signing/verify-signature.ts';
import { TrailCounter } from '../../observation/roll-up/trail-counter.ts';
import { openUserKey, readUserKey } from '../user-folder.ts';
import { isDestinationMissing, readDestination, readNamed } from './read-checkpoints.ts';

export type { Pruned };

/** Reads the state of the automatic checkpoints of a store. */
export const checkpointState = (
  store: Pick<Store, 'memory'>,
  now: number,
): Promise<CheckpointState> => readCheckpointState(store, now);

export interface VerifyRequest extends Pick<VerifyLogOptions, 'expected' | 'onRows'> {
  /** The store to verify; none for files alone. */
  readonly store?: Pick<Store, 'audit' | 'label'> | undefined;
  /** Exports and archives, to be verified before the trail as one chain. */
  readonly files: readonly string[];
  /** Files of checkpoints, and second stores as `sqlite:` and the absolute path. */
  readonly checkpointFiles: readonly string[];
  /** Where automatic checkpoints are delivered. A file or a second store is compared, too. */
  readonly destination?: string | undefined;
  /** Trusted public keys besides the user's own. */
  readonly publicKeys: readonly string[];
}

export interface VerifyAnswer extends AuditVerification {
  /** The number of checkpoints that the trail was compared with. */
  readonly checkpoints: number;
  /** The destination of automatic checkpoints when it does not exist: its checkpoints were not compared. */
  readonly missing?: string;
}

export type PruneRequest = Pick<PruneOptions, 'before' | 'archive' | 'onRows'> & {
  readonly at: number;
};

export interface AuditService {
  /** Signs the head of the trail and stores the checkpoint. */
  checkpoint(store: Pick<Store, 'audit' | 'label'>, at: number): Promise<AuditCheckpoint>;
  /** Returns the stored checkpoints of the trail, oldest first. */
  recall(store: Pick<Store, 'label'>): Promise<readonly AuditCheckpoint[]>;
  /** Tells whether a store outlasts its process. Checkpoints of any other are not stored. */
  outlasts(store: Pick<Store, 'label'>): boolean;
  /** Compares the trail with the stored checkpoints and those in the named files. */
  verify(request: VerifyRequest): Promise<VerifyAnswer>;
  exportRows(store: Store, options: ExportOptions): AsyncIterable<ExportPart>;
  prune(store: Store, request: PruneRequest): Promise<Pruned>;
  /** Counts what `prune` would remove; removes nothing and makes no key. */
  foresee(store: Store, request: Pick<PruneRequest, 'before' | 'onRows'>): Promise<Pruned>;
  /** Prunes in small steps, for `audit.retentionDays`. */
  retain(
    store: Store,
    request: Pick<OldRowsOptions, 'at' | 'before' | 'shouldContinue'>,
  ): Promise<OldRowsPruned>;
}

/**
 * Labels of stores that end with their process. The next such store has the same label and another
 * trail, so a stored checkpoint would not fit it.
 */
const TEMPORARY_STORES: ReadonlySet<string> = new Set(['memory', 'sqlite in memory']);

/** Leaves out copies: the same checkpoint may be in several files. */
const withoutCopies = (checkpoints: readonly AuditCheckpoint[]): readonly AuditCheckpoint[] => [
  ...new Map(checkpoints.map((checkpoint) => [JSON.stringify(checkpoint), checkpoint])).values(),
];

/** Fails a verification when the log of checkpoints is broken: some may be lost, and the others prove too little. */
const heldTo = (
  report: AuditVerification,
  sources: readonly StoredCheckpoints[],
): AuditVerification => {
  const broken = sources.find(({ problem }) => problem !== undefined)?.problem;
  if (!report.ok || !broken) return report;
  const message = `The store of the checkpoints was changed. ${broken.message}`;
  return { ...report, ok: false, problem: { ...broken, kind: 'bad-checkpoint', message } };
};

const assertKeys = (keys: readonly string[]): void => {
  if (keys.every(isPublicKey)) return;
  throw new ToolFailure('VALIDATION_ERROR', 'A public key is base64 of 32 bytes.', {
    suggestions: ['Take it from a checkpoint: the part "publicKey".'],
  });
};

/** Counts the calls of the trail before rows are pruned, so that their figures stay. */
const countAll = (store: Store): Promise<void> => new TrailCounter(store).count();

class UserAuditService implements AuditService {
  readonly #folder: string;
  readonly #book: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#book = join(folder, 'checkpoints.jsonl');
  }

  async checkpoint({ audit, label }: Pick<Store, 'audit' | 'label'>, at: number) {
    const key = await openUserKey(this.#folder);
    const note = makeCheckpoint(await audit.head(), { at, store: label, key });
    if (!TEMPORARY_STORES.has(label)) await rememberCheckpoint(this.#book, note);
    return note;
  }

  recall({ label }: Pick<Store, 'label'>): Promise<readonly AuditCheckpoint[]> {
    return recallCheckpoints(this.#book, label);
  }

  outlasts({ label }: Pick<Store, 'label'>): boolean {
    return !TEMPORARY_STORES.has(label);
  }

  async verify(request: VerifyRequest): Promise<VerifyAnswer> {
    const { store, files, checkpointFiles, publicKeys, destination, ...rest } = request;
    assertKeys(publicKeys);
    const own = await readUserKey(this.#folder);
    const trustedKeys = [...(own ? [own.publicKey] : []), ...publicKeys];
    const missing = destination !== undefined && store && (await isDestinationMissing(destination));
    const recalled = store ? [{ checkpoints: await this.recall(store) }] : [];
    const named = await Promise.all([
      ...(store && destination !== undefined && !missing
        ? [readDestination(destination, store.label, trustedKeys)]
        : []),
      ...checkpointFiles.map((name) => readNamed(name, trustedKeys)),
    ]);
    const sources = [...recalled, ...named];
    const checkpoints = withoutCopies(sources.flatMap((source) => source.checkpoints));
    const options = { ...rest, checkpoints, trustedKeys };
    const report =
      store && files.length === 0
        ? await verifyAuditLog(store.audit, options)
        : await verifyAuditFiles({ files, log: store?.audit }, options);
    return {
      ...heldTo(report, sources),
      checkpoints: checkpoints.length,
      ...(missing && { missing: destination }),
    };
  }

  exportRows({ audit }: Store, options: ExportOptions): AsyncIterable<ExportPart> {
    return exportAudit(audit, options);
  }

  async prune(store: Store, request: PruneRequest): Promise<Pruned> {
    await countAll(store);
    const key = await openUserKey(this.#folder);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const pruned = await pruneAudit(store, { ...request, key, checkpoints });
    if (pruned.rows > 0) await this.checkpoint(store, request.at);
    return pruned;
  }

  async foresee(store: Store, request: Pick<PruneRequest, 'before' | 'onRows'>): Promise<Pruned> {
    const own = await readUserKey(this.#folder);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const trustedKeys = own ? [own.publicKey] : [];
    return foreseePrune(store, { ...request, checkpoints, trustedKeys });
  }

  async retain(store: Store, request: Pick<OldRowsOptions, 'at' | 'before' | 'shouldContinue'>) {
    await countAll(store);
    const key = await openUserKey(this.#folder);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const setting = 'audit.retentionDays';
    const pruned = await pruneOldRows(store, { ...request, key, checkpoints, setting });
    if (pruned.rows > 0) await this.checkpoint(store, request.at);
    return pruned;
  }
}

/** Makes the service of the user whose configuration folder this is. */
export const auditService = (folder: string): AuditService => new UserAuditService(folder);
