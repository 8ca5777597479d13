/** Names what the metrics of a server are read from: for its page and for what it sends to a collector. */
import type { CribHost } from '../contract/crib-host.ts';
import type { MetricSources } from '../observation/metric-families.ts';

type SourceDeps = Pick<MetricSources, 'version' | 'calls'> & { readonly crib: CribHost };

export const metricSourcesOf = ({ crib, ...own }: SourceDeps): MetricSources => ({
  ...own,
  circuits: () => crib.health.circuits(),
  servers: () => crib.servers.list(),
  waitingApprovals: async () => (await crib.approvals.list()).length,
  health: () => crib.health.latest(),
});
