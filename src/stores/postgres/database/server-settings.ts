/** Sets up each connection for what the store relies on, and checks what only the server can change. */
import type { Pool, PoolConfig } from 'pg';
import type { Runtime } from '../../../contract/runtime.ts';
import { invalidSetting } from '../../../kit/data/coded-failures.ts';

/**
 * Changes what a role, a database or the server may have set otherwise. Functions see what was committed
 * while they waited for a lock, which no higher isolation allows. A commit is synced unless a statement
 * asks for less; levels above `local` stay as they are.
 */
const SESSION = `SELECT set_config(name, value, false) FROM (VALUES
  ('default_transaction_isolation', 'read committed',
    current_setting('default_transaction_isolation') <> 'read committed'),
  ('synchronous_commit', 'on', current_setting('synchronous_commit') = 'off')
) AS setting (name, value, differs) WHERE differs`;

/** Runs for each new connection, before anything else uses it. */
export const prepareConnection: NonNullable<PoolConfig['verify']> = (client, done) => {
  client.query(SESSION).then(() => done(), done);
};

interface Server {
  readonly encoding: string;
  readonly version: number;
  readonly fsync: string;
  readonly pages: string;
}

const SERVER = `SELECT current_setting('server_encoding') AS encoding,
  current_setting('server_version_num')::int AS version, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS pages`;

/** Throws CONFIG_INVALID for a server that cannot hold the store; warns of one that can lose it. */
export const checkServer = async (pool: Pool, { log }: Pick<Runtime, 'log'>): Promise<void> => {
  const { rows } = await pool.query<Server>(SERVER);
  const [server] = rows;
  if (server?.encoding !== 'UTF8') {
    throw invalidSetting('The database does not store UTF-8.', "Make it with ENCODING 'UTF8'.");
  }
  if (server.version < 130_000) {
    throw invalidSetting('The PostgreSQL server is too old.', 'Use PostgreSQL 13 or later.');
  }
  if (server.fsync === 'off' || server.pages === 'off') {
    log.warn('PostgreSQL may lose the store when its machine crashes.', {
      next: 'set fsync and full_page_writes to on in postgresql.conf',
    });
  }
};
