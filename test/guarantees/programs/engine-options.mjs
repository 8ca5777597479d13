// Gives the programs of these suites the engine that their environment names: SQLite below the root
// when it names none, PostgreSQL and Redis otherwise.
import { createRuntime } from '../../../dist/crib/create-runtime.js';

/** Options of `createCrib`. A lease of its own needs a store that the program opens itself. */
export const engineOptions = async () => {
  const { ENGINE_STORE_URL: url, ENGINE_SCHEMA: schema, ENGINE_JOBS_URL: jobsUrl } = process.env;
  const lease = process.env.ENGINE_LEASE_MS;
  const jobs = jobsUrl ? { jobs: { url: jobsUrl } } : {};
  if (!url) return { config: jobs };
  if (!lease) return { config: { ...jobs, store: { url, schema } } };
  const { createPostgresStore } = await import(
    '../../../dist/stores/postgres/create-postgres-store.js'
  );
  const store = { url, schema, runtime: createRuntime(), leaseMs: Number(lease) };
  return { config: jobs, store: await createPostgresStore(store) };
};
