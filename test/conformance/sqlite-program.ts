/** A process that uses a SQLite store until its work is done or it is killed. */
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { say, TASKS } from './store-tasks.ts';

const [path = '', task = '', name = ''] = process.argv.slice(2);
const store = await createSqliteStore({ path, runtime: createRuntime(), lockTimeoutMs: 20_000 });
await TASKS[task]?.(store, name);
await store.close();
say('closed');
