/** Assembles the store on a database that is open and up to date. */
import type { Runtime } from '../../contract/runtime.ts';
import type { SealKey, Store, StoreMark } from '../../contract/store.ts';
import type { Database } from './database/open-database.ts';
import { Owner } from './database/owner.ts';
import { WRITE_GROUPS, type WriteGroup, Writer } from './database/writer.ts';
import { PostgresApprovals } from './postgres-approvals.ts';
import { PostgresAudit } from './postgres-audit.ts';
import { PostgresCounters } from './postgres-counters.ts';
import type { PostgresDeps } from './postgres-deps.ts';
import { PostgresFlows } from './postgres-flows.ts';
import { PostgresGrants } from './postgres-grants.ts';
import { PostgresLedger } from './postgres-ledger.ts';
import { PostgresReplays } from './postgres-replays.ts';
import { PostgresResults } from './postgres-results.ts';
import { PostgresRollUps } from './postgres-roll-ups.ts';
import { PostgresSnapshots } from './postgres-snapshots.ts';
import { PostgresSpaces } from './postgres-spaces.ts';
import { PostgresTokens } from './postgres-tokens.ts';
import { PostgresVectors } from './postgres-vectors.ts';

export interface PostgresStoreDeps {
  readonly database: Database;
  readonly runtime: Runtime;
  readonly leaseMs: number;
  /** Where the files of this process are. */
  readonly place: string;
  readonly syncEveryRecord: boolean;
}

const shut = async (
  { database, writers, owner }: PostgresDeps,
  { log }: Runtime,
): Promise<void> => {
  try {
    await Promise.all(WRITE_GROUPS.map((group) => writers[group].close()));
    await owner.retire();
  } catch (error) {
    // Other processes notice by themselves that this owner is gone.
    log.warn('The store was closed without removing its owner.', { error: String(error) });
  } finally {
    await database.close();
  }
};

/** Counts the commits of all processes less those of this one. */
const marker = ({ database, writers }: PostgresDeps): (() => Promise<StoreMark>) => {
  const look = database.prepare(
    `SELECT (SELECT sum(version) FROM @lanes)::bigint AS commits,
     (SELECT max(seq) FROM @audit) AS seq`,
  );
  return async () => {
    const own = WRITE_GROUPS.reduce((sum, group) => sum + writers[group].commits, 0);
    const row = await look.get<{ commits: number; seq: number | null }>();
    return { foreignVersion: (row?.commits ?? 0) - own, lastSeq: row?.seq ?? 0 };
  };
};

const sealKeyOf = (database: Database): SealKey => {
  const claim = database.prepare(
    'UPDATE @store_schema SET seal_key = coalesce(seal_key, $1) RETURNING seal_key AS "sealKey"',
  );
  const look = database.prepare('SELECT seal_key AS "sealKey" FROM @store_schema');
  const replace = database.prepare('UPDATE @store_schema SET seal_key = $1');
  interface Row {
    readonly sealKey: string | null;
  }
  return {
    claim: async (publicKey) =>
      (await look.get<Row>())?.sealKey ?? (await claim.get<Row>(publicKey))?.sealKey ?? publicKey,
    replace: async (publicKey) => {
      await replace.run(publicKey);
    },
  };
};

const writersFor = (options: PostgresStoreDeps, owner: Owner): Record<WriteGroup, Writer> => {
  const writer = (group: WriteGroup) => new Writer({ ...options, owner, group });
  return {
    audit: writer('audit'),
    ledger: writer('ledger'),
    claims: writer('claims'),
    records: writer('records'),
    flows: writer('flows'),
  };
};

export const postgresStore = (options: PostgresStoreDeps): Store => {
  const { database, runtime } = options;
  const owner = new Owner(options);
  const deps = { database, owner, runtime, writers: writersFor(options, owner) };
  const audit = new PostgresAudit(deps);
  let closing: Promise<void> | undefined;
  return {
    label: `postgres at ${database.address}, schema ${database.schema}`,
    place: owner.place,
    isReadOnly: false,
    audit,
    intents: audit,
    ledger: new PostgresLedger(deps),
    counters: new PostgresCounters(deps),
    replays: new PostgresReplays(deps),
    memory: new PostgresSpaces(deps),
    snapshots: new PostgresSnapshots(deps),
    approvals: new PostgresApprovals(deps),
    grants: new PostgresGrants(deps),
    tokens: new PostgresTokens(deps),
    results: new PostgresResults(deps),
    flows: new PostgresFlows(deps),
    vectors: new PostgresVectors(deps),
    rollUps: new PostgresRollUps(deps),
    mark: marker(deps),
    sealKey: sealKeyOf(database),
    close() {
      closing ??= shut(deps, runtime);
      return closing;
    },
  };
};
