/**
 * Answers readiness probes, with the same check of the store as every other view of health. Probes need
 * no token, so answers contain no names and no messages.
 */
import type { CribHost } from '../../contract/crib-host.ts';
import { HEALTH_KINDS, type HealthKind } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { checkStore } from './check-part.ts';
import { broken } from './findings.ts';

export interface ReadyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface Readiness {
  checks(): Promise<readonly ReadyCheck[]>;
  /** Makes it not ready from now on, whatever the other checks find. */
  drain(): void;
}

export interface ReadinessDeps {
  readonly crib: Pick<CribHost, 'store' | 'servers'>;
  readonly runtime: Pick<Runtime, 'after' | 'now' | 'log'>;
}

/** How long a result is reused: anybody may send probes, and each check writes to the store. */
const HOLDS_MS = 1000;
/** Probes give up after a few seconds; a store that takes longer is not ready. */
const MAX_PROBE_MS = 5000;

/** Tells whether the server can work with a part of that kind in that state. */
const isReady = (kind: HealthKind, isBroken: boolean): boolean =>
  HEALTH_KINDS[kind] !== 'fatal' || !isBroken;

const storeCheck = async ({ crib, runtime }: ReadinessDeps): Promise<ReadyCheck> => {
  const check = await within(runtime, MAX_PROBE_MS, () =>
    checkStore({ store: () => crib.store(), runtime }),
  ).catch((error: unknown) => broken('store', reasonOf(error)));
  if (isReady('store', check.state === 'broken')) return { name: 'store', ok: true };
  runtime.log.warn('the store is not ready', { cause: check.message });
  return { name: 'store', ok: false, detail: 'It cannot be written.' };
};

/** Counts the MCP servers by state. One that is down affects its own tools only. */
const serversCheck = ({ crib }: ReadinessDeps): ReadyCheck => {
  const states = crib.servers.list().map(({ state }) => state);
  const counted = [...new Set(states)].map(
    (state) => `${states.filter((other) => other === state).length} ${state}`,
  );
  const ok = isReady('server', states.includes('open'));
  return { name: 'servers', ok, detail: counted.join(', ') || 'none configured' };
};

export const createReadiness = (deps: ReadinessDeps): Readiness => {
  let draining = false;
  let last: { readonly at: number; readonly check: Promise<ReadyCheck> } | undefined;
  const store = (): Promise<ReadyCheck> => {
    const now = deps.runtime.now();
    // `abs`, so that a clock that was set back does not keep an old result.
    if (!last || Math.abs(now - last.at) >= HOLDS_MS) last = { at: now, check: storeCheck(deps) };
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
