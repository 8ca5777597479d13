/** The fetch a tool is handed: it reaches the hosts the tool declared, for as long as the call lives. */
import type { Call } from '../../contract/call.ts';
import type { Egress, EgressInit } from '../../governance/egress/create-egress.ts';
import { assertRunning } from './assert-running.ts';
import { egressScope } from './egress-scope.ts';

/** What a tool puts into `init` cannot widen the scope. */
export const brokeredFetch = (
  call: Call<'ready'>,
  egress: Pick<Egress, 'fetch'>,
): typeof globalThis.fetch => {
  const scope = egressScope(call);
  return async (input, init) => {
    assertRunning(call);
    const scoped: EgressInit = { ...init, scope };
    return egress.fetch(input, scoped);
  };
};
