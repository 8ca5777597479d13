/**
 * Work on the audit trail outside of calls: checkpoints, verification of stores, exports and
 * archives, export, retention. Keys and checkpoints lie in the user's configuration folder.
 */
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AuditCheckpoint, AuditVerification } from '../contract/audit.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Store } from '../contract/store.ts';
import { type CheckpointState, readCheckpointState } from '../governance/audit/auto-checkpoints.ts';
import {
  parseCheckpoints,
  recallCheckpoints,
  rememberCheckpoint,
} from '../governance/audit/checkpoint-book.ts';
import {
  type ExportOptions,
  type ExportPart,
  exportAudit,
} from '../governance/audit/export-audit.ts';
import { makeCheckpoint } from '../governance/audit/make-checkpoint.ts';
import {
  foreseePrune,
  type Pruned,
  type PruneOptions,
  pruneAudit,
} from '../governance/audit/prune-audit.ts';
import {
  type OldRowsOptions,
  type OldRowsPruned,
  pruneOldRows,
} from '../governance/audit/prune-old-rows.ts';
import { verifyAuditFiles } from '../governance/audit/verify-audit-files.ts';
import { type VerifyLogOptions, verifyAuditLog } from '../governance/audit/verify-audit-log.ts';
import { openSigningKey, readSigningKey } from '../governance/signing/open-signing-key.ts';
import { isPublicKey } from '../governance/signing/verify-signature.ts';

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
  readonly checkpointFiles: readonly string[];
  /** Where automatic checkpoints go; where it is a file, those of this store are read from it. */
  readonly book?: string | undefined;
  /** Keys that count beside the user's own. */
  readonly publicKeys: readonly string[];
}

export interface VerifyAnswer extends AuditVerification {
  /** The number of checkpoints that the trail was compared with. */
  readonly checkpoints: number;
}

export type PruneRequest = Pick<PruneOptions, 'before' | 'archive' | 'onRows'> & {
  readonly at: number;
};

export interface AuditService {
  /** Signs the head of the trail and stores the checkpoint. */
  checkpoint(store: Pick<Store, 'audit' | 'label'>, at: number): Promise<AuditCheckpoint>;
  /** Returns the stored checkpoints of the trail, oldest first. */
  recall(store: Pick<Store, 'label'>): Promise<readonly AuditCheckpoint[]>;
  /** False for a store that ends with its process; its checkpoints are not stored. */
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
    request: Pick<OldRowsOptions, 'at' | 'before' | 'goOn'>,
  ): Promise<OldRowsPruned>;
}

/**
 * Labels of stores that end with their process. The next such store has the same label and another
 * trail, so a stored checkpoint would not fit it.
 */
const TEMPORARY_STORES: ReadonlySet<string> = new Set(['memory', 'sqlite in memory']);

const readCheckpoints = async (file: string): Promise<readonly AuditCheckpoint[]> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ToolFailure('NOT_FOUND', 'A checkpoint file cannot be read.', {
      suggestions: ['Check the name of the file and that this user may read it.'],
    });
  });
  return parseCheckpoints(text);
};

/** Removes duplicates: a checkpoint may be in several files. */
const withoutCopies = (notes: readonly AuditCheckpoint[]): readonly AuditCheckpoint[] => [
  ...new Map(notes.map((note) => [JSON.stringify(note), note])).values(),
];

const assertKeys = (keys: readonly string[]): void => {
  if (keys.every(isPublicKey)) return;
  throw new ToolFailure('VALIDATION_ERROR', 'A public key is base64 of 32 bytes.', {
    suggestions: ['Take it from a checkpoint: the part "publicKey".'],
  });
};

class UserAuditService implements AuditService {
  readonly #keyFile: string;
  readonly #book: string;

  constructor(folder: string) {
    this.#keyFile = join(folder, 'keys', 'signing.pem');
    this.#book = join(folder, 'checkpoints.jsonl');
  }

  async checkpoint({ audit, label }: Pick<Store, 'audit' | 'label'>, at: number) {
    const key = await openSigningKey(this.#keyFile);
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

  async verify({ store, files, checkpointFiles, publicKeys, book, ...rest }: VerifyRequest) {
    assertKeys(publicKeys);
    const own = await readSigningKey(this.#keyFile);
    const named = await Promise.all(checkpointFiles.map(readCheckpoints));
    const books = book !== undefined && isAbsolute(book) ? [this.#book, book] : [this.#book];
    const recalled = store
      ? await Promise.all(books.map((each) => recallCheckpoints(each, store.label)))
      : [];
    const checkpoints = withoutCopies([...recalled.flat(), ...named.flat()]);
    const trustedKeys = [...(own ? [own.publicKey] : []), ...publicKeys];
    const options = { ...rest, checkpoints, trustedKeys };
    const report =
      store && files.length === 0
        ? await verifyAuditLog(store.audit, options)
        : await verifyAuditFiles({ files, log: store?.audit }, options);
    return { ...report, checkpoints: checkpoints.length };
  }

  exportRows({ audit }: Store, options: ExportOptions): AsyncIterable<ExportPart> {
    return exportAudit(audit, options);
  }

  async prune(store: Store, request: PruneRequest): Promise<Pruned> {
    const key = await openSigningKey(this.#keyFile);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const pruned = await pruneAudit(store, { ...request, key, checkpoints });
    if (pruned.rows > 0) await this.checkpoint(store, request.at);
    return pruned;
  }

  async foresee(store: Store, request: Pick<PruneRequest, 'before' | 'onRows'>): Promise<Pruned> {
    const own = await readSigningKey(this.#keyFile);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const trustedKeys = own ? [own.publicKey] : [];
    return foreseePrune(store, { ...request, checkpoints, trustedKeys });
  }

  async retain(store: Store, request: Pick<OldRowsOptions, 'at' | 'before' | 'goOn'>) {
    const key = await openSigningKey(this.#keyFile);
    const checkpoints = await recallCheckpoints(this.#book, store.label);
    const setting = 'audit.retentionDays';
    const pruned = await pruneOldRows(store, { ...request, key, checkpoints, setting });
    if (pruned.rows > 0) await this.checkpoint(store, request.at);
    return pruned;
  }
}

/** The desk of the user whose configuration folder this is. */
export const auditService = (folder: string): AuditService => new UserAuditService(folder);
