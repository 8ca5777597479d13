/** Lists the names and ids that completion scripts offer. Starts no server. */
import type { Io } from '../../io.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import type { IdKind } from './command-outline.ts';

const MAX_CALLS = 50;

const secretKeys = async (io: Io): Promise<readonly string[]> => {
  const { openVaults } = await import('../secrets/secrets-deps.ts');
  const vaults = await openVaults(io);
  const keys = await Promise.all(vaults.map(async (vault) => (await vault.keys?.()) ?? []));
  return keys.flat();
};

const executionIds = async ({ crib }: OpenCrib): Promise<readonly string[]> => {
  const { auditCalls } = await import('../audit/audit-calls.ts');
  const { calls } = await auditCalls(crib, {}, MAX_CALLS);
  return calls.map(({ row }) => row.executionId).filter((id) => id !== '');
};

const tokenNames = async (io: Io, { crib }: OpenCrib): Promise<readonly string[]> => {
  const { tokensOf, tokenState } = await import('../../session/open-tokens.ts');
  const records = await (await tokensOf(io, crib)).list();
  const now = io.runtime.now();
  return records.filter((record) => tokenState(record, now) === 'good').map(({ name }) => name);
};

const listed = async (io: Io, open: OpenCrib, kind: IdKind): Promise<readonly string[]> => {
  const { crib, loaded } = open;
  if (kind === 'approvals') return (await crib.approvals.list()).map(({ id }) => id);
  if (kind === 'executions') return executionIds(open);
  if (kind === 'permissions') return (await crib.permissions.list()).map(({ id }) => id);
  if (kind === 'secrets') return secretKeys(io);
  if (kind === 'servers') return Object.keys(loaded.config.mcp.servers);
  return tokenNames(io, open);
};

/** Matches words that a shell neither splits nor runs; others are left out. */
const PLAIN = /^[A-Za-z0-9_.:@-]+$/;

export const listIds = (io: Io, kind: IdKind): Promise<readonly string[]> =>
  withStore(io, async (open) => (await listed(io, open, kind)).filter((id) => PLAIN.test(id)), {
    silent: true,
  });
