/** Completes the settings of one source of the configuration. */
import type { Config } from '../../config/schema.ts';
import type { ExternalSettings } from '../../contract/source-driver.ts';
import { compact } from '../../kit/data/compact.ts';
import { MINUTE_MS } from '../../kit/data/durations.ts';
import { labelsAndSink } from './labels-and-sink.ts';

export type ExternalKind = keyof Config['sources'];
export type ExternalConfig = Config['sources'][ExternalKind][string];

const LIMITS = { timeoutMs: MINUTE_MS, maxOutputBytes: 5_000_000 };

/** Adds the headers, for kinds that have them. */
const withHeaders = (
  config: ExternalConfig,
): ExternalConfig & Pick<Partial<ExternalSettings>, 'headers'> => config;

export const sourceSettings = (
  kind: ExternalKind,
  name: string,
  config: ExternalConfig,
): ExternalSettings => {
  const { enabled, tier, tools = {}, labels, sink, headers = {}, ...rest } = withHeaders(config);
  const { timeoutMs = LIMITS.timeoutMs, maxOutputBytes = LIMITS.maxOutputBytes, ...more } = rest;
  const { rateLimit, ...own } = more;
  const all = Object.entries(tools);
  return {
    name,
    kind,
    enabled: enabled !== false,
    timeoutMs,
    maxOutputBytes,
    headers,
    own,
    ...(tier && { tier }),
    ...(rateLimit && { rateLimit: compact(rateLimit) }),
    toolTiers: Object.fromEntries(
      all.flatMap(([tool, one]) => (one.tier ? [[tool, one.tier]] : [])),
    ),
    labels: labelsAndSink(compact({ labels, sink })),
    toolLabels: Object.fromEntries(all.map(([tool, one]) => [tool, labelsAndSink(one)])),
  };
};
