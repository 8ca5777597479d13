/** Assembles the store on a database that is open and up to date. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Store, StoreMark } from '../../contract/store.ts';
import { CommitSync } from '../../kit/sqlite/commit-sync.ts';
import type { Database } from '../../kit/sqlite/open-database.ts';
import { Owner } from '../../kit/sqlite/owner.ts';
import type { SqliteDeps } from '../../kit/sqlite/sqlite-deps.ts';
import { Writer, type WriterOptions } from '../../kit/sqlite/writer.ts';
import { SqliteApprovals } from './sqlite-approvals.ts';
import { SqliteAudit } from './sqlite-audit.ts';
import { SqliteCounters } from './sqlite-counters.ts';
import { SqliteFlows } from './sqlite-flows.ts';
import { SqliteGrants } from './sqlite-grants.ts';
import { SqliteLedger } from './sqlite-ledger.ts';
import { SqliteReplays } from './sqlite-replays.ts';
import { SqliteResults } from './sqlite-results.ts';
import { SqliteRollUps } from './sqlite-roll-ups.ts';
import { SqliteSnapshots } from './sqlite-snapshots.ts';
import { SqliteSpaces } from './sqlite-spaces.ts';
import { SqliteTokens } from './sqlite-tokens.ts';
import { SqliteVectors } from './sqlite-vectors.ts';

export interface SqliteStoreDeps extends Omit<WriterOptions, 'sync'> {
  readonly label: string;
  /** The write-ahead log; without one every commit is synced at once. */
  readonly log?: string;
  readonly isReadOnly?: boolean;
}

const shut = async (
  { database, runtime }: { readonly database: Database; readonly runtime: Runtime },
  writer: Writer,
  owner: Owner,
): Promise<void> => {
  try {
    await writer.close(() => owner.retire());
  } catch (error) {
    // Other processes notice by themselves that this owner is gone; the file must be closed anyway.
    runtime.log.warn('The store was closed without removing its owner.', { error: String(error) });
  } finally {
    database.close();
  }
};

/** Reads the trail before the version: what is written in between belongs to a later version. */
const marker = ({ database, writer }: SqliteDeps): (() => Promise<StoreMark>) => {
  const last = database.prepare('SELECT max(seq) AS seq FROM audit');
  const version = database.prepare('PRAGMA data_version');
  return () =>
    writer.read(() => {
      const { seq } = last.get() as { readonly seq: number | null };
      const { data_version } = version.get() as { readonly data_version: number };
      return { foreignVersion: Number(data_version), lastSeq: Number(seq ?? 0) };
    });
};

/** A store whose database other parts may keep something in: the queue of jobs does. */
interface SqliteStore extends Store {
  readonly sqliteDeps: SqliteDeps;
}

/** Returns what a store in SQLite is built on; `undefined` for any other. */
export const sqliteDepsOf = (store: Store): SqliteDeps | undefined =>
  'sqliteDeps' in store ? (store as SqliteStore).sqliteDeps : undefined;

export const sqliteStore = (options: SqliteStoreDeps): SqliteStore => {
  const { database, runtime, label, isReadOnly = false } = options;
  const writer = new Writer({ ...options, sync: new CommitSync(options) });
  const owner = new Owner({ database, runtime, writer });
  const deps = { database, writer, owner };
  const audit = new SqliteAudit(deps);
  let closing: Promise<void> | undefined;
  return {
    label,
    isReadOnly,
    sqliteDeps: deps,
    audit,
    intents: audit,
    ledger: new SqliteLedger(deps),
    counters: new SqliteCounters(deps),
    replays: new SqliteReplays(deps),
    memory: new SqliteSpaces(deps),
    snapshots: new SqliteSnapshots(deps),
    approvals: new SqliteApprovals(deps),
    grants: new SqliteGrants(deps),
    tokens: new SqliteTokens(deps),
    results: new SqliteResults(deps),
    flows: new SqliteFlows(deps),
    vectors: new SqliteVectors(deps),
    rollUps: new SqliteRollUps(deps),
    mark: marker(deps),
    close() {
      closing ??= shut(options, writer, owner);
      return closing;
    },
  };
};
