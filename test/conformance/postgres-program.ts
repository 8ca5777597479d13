/** A process that uses a PostgreSQL store until its work is done or it is killed. */
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { createPostgresStore } from '../../src/stores/postgres/create-postgres-store.ts';
import { say, TASKS } from './store-tasks.ts';

const [url = '', schema = '', task = '', name = ''] = process.argv.slice(2);
const leaseMs = Number(process.env.LEASE_MS ?? 2000);
const runtime = createRuntime();
const store = await createPostgresStore({ url, schema, runtime, leaseMs, lockTimeoutMs: 20_000 });
await TASKS[task]?.(store, name);
await store.close();
say('closed');
