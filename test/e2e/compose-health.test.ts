/** The health check of PostgreSQL in compose.yml, which the servers and workers wait for. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCompose } from '../fixtures/compose-file.ts';
import { freePort } from '../fixtures/free-port.ts';
import { isPostgresMissing } from '../fixtures/postgres-schemas.ts';
import {
  openPostgres,
  type PostgresServer,
  postgresFolder,
} from '../fixtures/vendors/postgres-server.ts';

describe.skipIf(isPostgresMissing())('the health check of PostgreSQL in compose.yml', () => {
  const programs = postgresFolder() ?? '';
  let server: PostgresServer | undefined;
  afterEach(() => server?.close());

  const isHealthy = (port: number): Promise<boolean> => {
    const { postgres } = readCompose({ POSTGRES_PASSWORD: 'p', REDIS_PASSWORD: 'r' });
    const [program = '', ...words] = postgres?.healthCheck ?? [];
    const env = { PGHOST: server?.folder, PGPORT: `${port}` };
    return new Promise((done) => {
      execFile(join(programs, program), words, { env }, (error) => done(error === null));
    });
  };

  it('fails while the image initializes, with a server on its socket alone', async () => {
    const port = await freePort();
    server = await openPostgres(programs, ['-c', 'listen_addresses='], port);
    expect(await isHealthy(port)).toBe(false);
  });

  it('passes for a server that takes connections', async () => {
    const port = await freePort();
    server = await openPostgres(programs, [], port);
    expect(await isHealthy(port)).toBe(true);
  });
});
