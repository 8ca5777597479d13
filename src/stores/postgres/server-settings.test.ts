/** What a role, a database or a server may have set: the store is as durable and as exact as it says. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NOW, times } from '../../../test/conformance/store-samples.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';

describe.skipIf(isPostgresMissing())('a PostgreSQL store of a role with its own settings', () => {
  const { server, open, newSchema } = usePostgres();
  const stores: Store[] = [];
  beforeAll(async () => {
    await server().sql('CREATE ROLE tuned LOGIN SUPERUSER');
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server().sql('ALTER ROLE tuned RESET ALL');
  });

  const openTuned = async (schema: string): Promise<Store> => {
    const store = await open({ url: server().urlFor('tuned'), schema });
    stores.push(store);
    return store;
  };

  /** Writes one memory item and returns the level at which the server committed it. */
  const levelOf = async (schema: string, store: Store): Promise<string> => {
    await store.memory.write({ space: 's', key: 'k', value: 1 });
    return server().sql(`SELECT level FROM ${schema}.levels ORDER BY at DESC LIMIT 1`);
  };

  it.each([
    ['off', 'on'],
    ['on', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ])('commits with synchronous_commit %s of the role as %s', async (ofRole, expected) => {
    await server().sql(`ALTER ROLE tuned SET synchronous_commit = ${ofRole}`);
    const schema = newSchema();
    const store = await openTuned(schema);
    await server().sql(`CREATE TABLE ${schema}.levels (level text, at timestamptz);
      CREATE FUNCTION ${schema}.note_level() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO ${schema}.levels VALUES (current_setting('synchronous_commit'), clock_timestamp());
        RETURN NEW;
      END $$;
      CREATE TRIGGER note AFTER INSERT OR UPDATE ON ${schema}.memory
      FOR EACH ROW EXECUTE FUNCTION ${schema}.note_level()`);
    expect(await levelOf(schema, store)).toBe(expected);
  });

  it.each(['repeatable read', 'serializable'])(
    'lets two processes write at once where the role works with %s',
    async (level) => {
      await server().sql(`ALTER ROLE tuned SET default_transaction_isolation = '${level}'`);
      const schema = newSchema();
      const both = [await openTuned(schema), await openTuned(schema)];
      const hit = (store: Store, n: number) =>
        store.counters.hit(`k${n}`, [{ sizeMs: 1000, limit: 9 }], NOW);
      for (const round of times(100, (n) => n)) {
        await Promise.all(both.map((store) => hit(store, round)));
      }
    },
  );

  it('warns of a server that syncs nothing, and says what to do', async () => {
    const warnings: unknown[] = [];
    const warn = (message: string, fields?: object) => void warnings.push({ message, ...fields });
    const log = { debug() {}, info() {}, warn, error() {} };
    stores.push(await open({ runtime: createRuntime({ log }) }));
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('may lose'), next: expect.stringContaining('fsync') },
    ]);
  });
});
