// Holds the write lock of a database until it is told to let go.
import { once } from 'node:events';
import { DatabaseSync } from '@photostructure/sqlite';

const database = new DatabaseSync(process.argv[2]);
database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await once(process.stdin, 'data');
database.exec('ROLLBACK');
database.close();
process.exit(0);
