/** Opens egress guards for what the user has configured or typed, beside the guard of calls. */
import type { Config } from '../../config/schema.ts';
import type { Egress, EgressScope, EgressSettings } from '../../governance/egress/create-egress.ts';

/** Opens a guard that also reaches these hosts of this machine, because the user has named them. */
export const openEgress = async (
  { egress }: Pick<Config, 'egress'>,
  localHosts: readonly string[],
  more: Partial<EgressSettings> = {},
): Promise<Egress> => {
  const { createEgress } = await import('../../governance/egress/create-egress.ts');
  const allowPrivate = [...egress.allowPrivate, ...localHosts];
  return createEgress({ ...egress, allowPrivate, ...more });
};

/** Makes the scope of requests to these hosts, for as long as the signal does not fire. */
export const scopeOf = (
  hosts: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): EgressScope => ({ hosts, signal: () => signal, onHop: () => undefined });
