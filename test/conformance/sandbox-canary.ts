/** What an escape would reach, and whether it was reached: a file, a variable, a port, the host's own realm. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MARK = 'SANDBOX_ESCAPED';

/** Where the bait lies. Handed to the code as its input: an attacker is assumed to know. */
export interface Bait {
  readonly file: string;
  readonly drop: string;
  readonly variable: string;
  readonly port: number;
  /** Of the host; a signal of number 0 tells whether it can be reached. */
  readonly pid: number;
  readonly mark: string;
}

export interface Canary {
  readonly bait: Bait;
  /** Every trace of an escape; empty when there is none. `seen` is all that came out of the run. */
  traces(seen: string): readonly string[];
  close(): Promise<void>;
}

const prototypes = [Object, Array, Function, Promise, Error, String, Map, RegExp].map(
  ({ name, prototype }) => ({ name, prototype: prototype as object }),
);

const keysOfRealm = (): string =>
  prototypes.map(({ name, prototype }) => `${name}:${Reflect.ownKeys(prototype).length}`).join();

const listen = async (onConnection: () => void) => {
  const server = createServer((socket) => {
    onConnection();
    socket.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, close: () => new Promise<void>((done) => server.close(() => done())) };
};

export const openCanary = async (): Promise<Canary> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-canary-'));
  const secret = randomBytes(16).toString('hex');
  const bait = { file: join(folder, 'secret'), drop: join(folder, 'drop'), mark: MARK };
  const variable = `TOOLCRIB_CANARY_${secret.slice(0, 8)}`;
  writeFileSync(bait.file, secret, { mode: 0o600 });
  process.env[variable] = secret;
  let connections = 0;
  const { port, close } = await listen(() => {
    connections += 1;
  });
  const realm = keysOfRealm();
  return {
    bait: { ...bait, variable, port, pid: process.pid },
    traces: (seen) => [
      ...(seen.includes(secret) ? ['the secret came out'] : []),
      ...(seen.includes('signalled the host') ? ['the host was signalled'] : []),
      ...(existsSync(bait.drop) ? ['a file was written'] : []),
      ...(connections > 0 ? ['the port was reached'] : []),
      ...(Object.hasOwn(globalThis, MARK) ? ['the global object was changed'] : []),
      ...(keysOfRealm() === realm && !(MARK in {}) ? [] : ['a prototype was changed']),
      ...(process.exitCode === undefined ? [] : ['the exit code was set']),
    ],
    close: async () => {
      delete process.env[variable];
      Reflect.deleteProperty(globalThis, MARK);
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
