/** Makes the fetch that a tool is handed: it reaches the hosts that the tool declared, while the call runs. */
import type { Call } from '../../contract/call.ts';
import type { Egress, EgressInit, EgressScope } from '../../governance/egress/create-egress.ts';
import { assertRunning } from './assert-running.ts';

/** Returns what a call may reach and how long; every hop is put on record. */
export const egressScope = (call: Call<'ready'>): EgressScope => ({
  hosts: call.ready.tool.needs?.hosts ?? [],
  local: call.ready.tool.needs?.localHosts ?? [],
  signal: () => call.control.signal,
  onHop: ({ origin, href }) => {
    call.notes.resources ??= new Set();
    call.notes.resources.add(origin === 'null' ? href : origin);
  },
});

export const brokeredFetch = (
  call: Call<'ready'>,
  egress: Pick<Egress, 'fetch'>,
): typeof globalThis.fetch => {
  const scope = egressScope(call);
  return async (input, init) => {
    assertRunning(call);
    // Last, so that nothing in `init` can widen the scope.
    const scoped: EgressInit = { ...init, scope };
    return egress.fetch(input, scoped);
  };
};
