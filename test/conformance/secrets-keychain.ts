/**
 * A real keychain for tests: gnome-keyring on a D-Bus of its own, in a folder of its own. It is asked
 * through a child process, because the native library reads the environment its process began with.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Keyring } from '../../src/secrets/keychain/create-keychain-secrets.ts';

const CHILD = fileURLToPath(new URL('./secrets-keychain-child.mjs', import.meta.url));
const PROGRAMS = ['dbus-run-session', 'gnome-keyring-daemon'];

/** Why there can be no keychain here; `undefined` when there can. */
export const noKeychain = (): string | undefined => {
  if (process.platform !== 'linux') return 'the test starts a keychain on Linux only';
  const absent = PROGRAMS.filter((program) => spawnSync('which', [program]).status !== 0);
  if (absent.length === 0) return undefined;
  return `${absent.join(' and ')} not installed (Debian: apt-get install dbus gnome-keyring)`;
};

type Question = Readonly<Record<string, string>>;

class Conversation {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: { result?: unknown; error?: string }) => void>();
  #next = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (!child.stdout) throw new Error('no stdout');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{"id"')) return;
      const reply = JSON.parse(line);
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    child.once('exit', (code) => {
      for (const settle of this.#waiting.values()) settle({ error: `the child ended: ${code}` });
    });
  }

  ask<T>(question: Question): Promise<T> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as T) : reject(new Error(error)),
      );
      this.#child.stdin?.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }
}

export interface RealKeychain {
  readonly keyring: Keyring;
  close(): Promise<void>;
}

const keyringOver = (talk: Conversation): Keyring => ({
  AsyncEntry: class {
    readonly #at: Question;
    constructor(service: string, account: string) {
      this.#at = { service, account };
    }
    getPassword(): Promise<string | null> {
      return talk.ask({ verb: 'get', ...this.#at });
    }
    setPassword(value: string): Promise<void> {
      return talk.ask({ verb: 'set', ...this.#at, value });
    }
    deleteCredential(): Promise<boolean> {
      return talk.ask({ verb: 'delete', ...this.#at });
    }
  },
  findCredentialsAsync: (service) => talk.ask({ verb: 'list', service }),
});

export const startKeychain = (): RealKeychain => {
  const home = mkdtempSync(join(tmpdir(), 'keychain-'));
  const unlock = 'printf password | gnome-keyring-daemon --unlock --components=secrets';
  const script = `${unlock} >/dev/null 2>&1; exec "${process.execPath}" "${CHILD}"`;
  const { PATH } = process.env;
  const child = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
    env: { PATH, HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  return {
    keyring: keyringOver(new Conversation(child)),
    close: async () => {
      child.stdin.end();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
};
