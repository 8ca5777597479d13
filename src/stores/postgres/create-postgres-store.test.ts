/** The PostgreSQL store passes the suite of all stores, on a real server. */
import { describe } from 'vitest';
import { describeStore } from '../../../test/conformance/store.ts';
import { describePersistence } from '../../../test/conformance/store-persistence.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';

describe.skipIf(isPostgresMissing())('PostgreSQL', () => {
  const { open, newSchema } = usePostgres();

  const openOnServer = async () => {
    const schema = newSchema();
    const store = await open({ schema });
    return { store, reopen: () => open({ schema }), cleanup: () => store.close() };
  };

  describeStore('postgres', openOnServer);
  describePersistence('postgres', openOnServer);
});
