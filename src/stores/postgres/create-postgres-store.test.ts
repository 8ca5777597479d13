/** The PostgreSQL store passes the suite of all stores, on a real server. */
import { describe } from 'vitest';
import { describeStore } from '../../../test/conformance/store.ts';
import { describePersistence } from '../../../test/conformance/store-persistence.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';

describe.skipIf(isPostgresMissing())('PostgreSQL', () => {
  const { open, takeSchema, giveBack } = usePostgres();

  const openOnServer = async () => {
    const schema = takeSchema();
    const store = await open({ schema });
    const cleanup = async (): Promise<void> => {
      await store.close();
      await giveBack(schema);
    };
    return { store, reopen: () => open({ schema }), cleanup };
  };

  describeStore('postgres', openOnServer);
  describePersistence('postgres', openOnServer);
});
