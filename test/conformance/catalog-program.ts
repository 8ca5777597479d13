/**
 * Proposes an entry for the catalog of a team and kills itself: `before` the catalog is changed, or `after`
 * it, before the end of the step is on record. Arguments: the file of the store, the user's folder, when.
 */
import { LOCAL_CALLER } from '../../src/contract/caller.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { openUserKey } from '../../src/crib/user-folder.ts';
import { createTeamCatalog } from '../../src/governance/team/create-team-catalog.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';

const [path = '', home = '', moment = ''] = process.argv.slice(2);
const runtime = createRuntime();
const store = await createSqliteStore({ path, runtime });

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};

const catalog = createTeamCatalog({
  org: 'acme',
  runtime,
  newId: () => 'the-id',
  check: async () => [],
  store: async () => ({
    tokens: store.tokens,
    memory: {
      read: (...args) => store.memory.read(...args),
      write: (...args) => store.memory.write(...args),
      delete: (...args) => store.memory.delete(...args),
      clear: (...args) => store.memory.clear(...args),
      update: (...args) => (moment === 'before' ? die() : store.memory.update(...args)),
    },
    audit: {
      query: (...args) => store.audit.query(...args),
      append: (entry) => (entry.status === 'started' ? store.audit.append(entry) : die()),
    },
  }),
  key: () => openUserKey(home),
});
const entry = { kind: 'enforce', name: 'calculator' } as const;
await catalog.propose({ action: 'put', entry }, undefined, LOCAL_CALLER);
