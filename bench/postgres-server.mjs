/** Starts a PostgreSQL server for a benchmark, unless its user names one. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { scratchFolder } from './race.mjs';

const DEBIAN = '/usr/lib/postgresql';

/** PostgreSQL does not run as root. */
const userOf = () => {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

const isUp = async (url) => {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Starts a server with its defaults, fsync among them, on the disk of the benchmark folder. */
export const startServer = async (given) => {
  if (given !== undefined) return { url: given, stop: async () => undefined };
  const [version] = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  if (version === undefined) throw new Error('PostgreSQL is not installed.');
  const programs = join(DEBIAN, version, 'bin');
  const folder = await scratchFolder();
  const as = userOf();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const options = { ...as, cwd: folder, env: { LC_ALL: 'C' }, stdio: 'ignore' };
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8'],
    options,
  );
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-k', folder, '-c', 'listen_addresses='],
    options,
  );
  // With a host, which the folder of the socket replaces: without one it is no URL to DBOS.
  const url = `postgres://bench@localhost/postgres?host=${encodeURIComponent(folder)}`;
  for (let tries = 0; !(await isUp(url)); tries++) {
    if (tries === 100) throw new Error('PostgreSQL did not start.');
    await sleep(100);
  }
  const stop = async () => {
    server.kill('SIGINT');
    await new Promise((done) => server.once('exit', done));
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
};
