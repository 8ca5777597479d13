/** On whose behalf a tool goes out: its declared hosts, for as long as the call lives, on record. */
import type { Call } from '../../contract/call.ts';
import type { EgressScope } from '../../governance/egress/create-egress.ts';

export const egressScope = (call: Call<'ready'>): EgressScope => ({
  hosts: call.ready.tool.needs?.hosts ?? [],
  signal: () => call.control.signal,
  onHop: ({ origin, href }) => {
    call.notes.resources ??= new Set();
    call.notes.resources.add(origin === 'null' ? href : origin);
  },
});
