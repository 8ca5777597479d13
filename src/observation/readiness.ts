/**
 * Can the server do its work? The store is asked to write, not asked whether it could: a disk that
 * is full opens as well as any. Whoever asks needs no token, so nothing is named.
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
  /** From now on it is not ready, whatever else holds. */
  drain(): void;
}

export interface ReadinessDeps {
  readonly crib: Pick<CribHost, 'store' | 'servers'>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

/** Probes come from anybody, and each costs a write. */
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

/** One that is down takes its own tools away and no others, so it is told and stops nothing. */
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
