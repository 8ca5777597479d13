/**
 * Checks whether the server can do its work. The store has to write, because a full disk can still be
 * opened. Probes need no token, so that answers name nothing.
 */
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';

export interface ReadyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface Readiness {
  checks(): Promise<readonly ReadyCheck[]>;
  /** Makes it not ready from now on, whatever the other checks say. */
  drain(): void;
}

export interface ReadinessDeps {
  readonly crib: Pick<CribHost, 'store' | 'servers'>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

/** A result is reused for this long: anybody may send probes, and each costs a write. */
const HOLDS_MS = 1000;
const SPACE = 'toolcrib:readiness';

const storeCheck = async ({ crib, runtime }: ReadinessDeps): Promise<ReadyCheck> => {
  const name = 'store';
  try {
    const store = await crib.store();
    if (store.isReadOnly) return { name, ok: false, detail: 'It can only be read.' };
    await store.memory.write({ space: SPACE, key: 'written', value: runtime.now() });
    return { name, ok: true };
  } catch (error) {
    runtime.log.warn('the store is not ready', { cause: String(error) });
    return { name, ok: false, detail: 'It cannot be written.' };
  }
};

/** Reports the servers' states. A server that is down affects its own tools only, so this is always ok. */
const serversCheck = ({ crib }: ReadinessDeps): ReadyCheck => {
  const states = crib.servers.list().map(({ state }) => state);
  const counted = [...new Set(states)].map(
    (state) => `${states.filter((each) => each === state).length} ${state}`,
  );
  return { name: 'servers', ok: true, detail: counted.join(', ') || 'none configured' };
};

export const createReadiness = (deps: ReadinessDeps): Readiness => {
  let draining = false;
  let last: { readonly at: number; readonly check: Promise<ReadyCheck> } | undefined;
  const store = (): Promise<ReadyCheck> => {
    const now = deps.runtime.now();
    if (!last || now - last.at >= HOLDS_MS) last = { at: now, check: storeCheck(deps) };
    return last.check;
  };
  return {
    checks: async () => [
      { name: 'accepting', ok: !draining, ...(draining && { detail: 'It is shutting down.' }) },
      await store(),
      serversCheck(deps),
    ],
    drain: () => {
      draining = true;
    },
  };
};
