/** `crib.tools.metadata`: what the lock, the metrics and the audit trail have on record about one tool. */
import type { Catalog } from '../../contract/catalog.ts';
import type { CribTools } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolLock } from '../../contract/lock.ts';
import type { CribMetrics, MetricHistory, MetricRange } from '../../contract/metrics.ts';
import type { ToolMetadata, ToolUsageFacts } from '../../contract/tool-metadata.ts';
import { fields, moment, optional, text } from '../../kit/data/check-arguments.ts';
import { compact } from '../../kit/data/compact.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import type { MethodChecks } from './checked.ts';
import type { MemberDeps } from './member-deps.ts';

export interface ToolMetadataDeps extends Pick<MemberDeps, 'open' | 'runtime'> {
  readonly tools: Pick<Catalog, 'get'>;
  readonly lock: Pick<ToolLock, 'states'>;
  readonly metrics: Pick<CribMetrics, 'summary' | 'history'>;
}

type MetadataMember = Pick<CribTools, 'metadata'>;

export const METADATA_CHECKS: MethodChecks<MetadataMember> = {
  metadata: {
    name: text,
    range: optional(fields({ from: optional(moment), to: optional(moment) })),
  },
};

const DEFAULT_DAYS = 30;

const usageFrom = (
  { total, points }: MetricHistory,
  lastUsed: number | undefined,
): ToolUsageFacts => {
  const { failure = 0, timeout = 0, unknown = 0 } = total.byStatus;
  const firstUsed = points[0]?.start;
  return {
    count: total.calls,
    errors: failure + timeout + unknown,
    ...compact({ firstUsed, lastUsed }),
  };
};

const usageOf = async (tool: string, deps: ToolMetadataDeps): Promise<ToolUsageFacts> => {
  const { store } = await deps.open();
  const [history, [newest]] = await Promise.all([
    deps.metrics.history({ tool, from: 0, step: 'day' }),
    store.audit.query({ tool, kind: 'outcome', limit: 1 }),
  ]);
  return usageFrom(history, newest?.at);
};

const datesOf = (
  name: string,
  { lock }: ToolMetadataDeps,
): Pick<ToolMetadata, 'created' | 'lastModified'> => {
  const locked = lock.states().find(({ tool, state }) => tool === name && state !== 'gone');
  if (!locked?.firstAcceptedAt || !locked.acceptedAt) return {};
  return {
    created: Date.parse(locked.firstAcceptedAt),
    lastModified: Date.parse(locked.acceptedAt),
  };
};

export const metadataOf = (deps: ToolMetadataDeps): MetadataMember => ({
  metadata: async (named, range: MetricRange = {}) => {
    const entry = deps.tools.get(named);
    if (!entry) throw new ToolFailure('TOOL_NOT_FOUND');
    const { name, version, description, category } = entry.tool;
    const { author, license, tags, documentation, examples } = entry.tool;
    const from = range.from ?? (range.to ?? deps.runtime.now()) - DEFAULT_DAYS * DAY_MS;
    const [performance, usage] = await Promise.all([
      deps.metrics.summary({ ...range, from, tool: name }),
      usageOf(name, deps),
    ]);
    return {
      name,
      version,
      description,
      category,
      ...compact({ author, license, tags, documentation, examples }),
      performance,
      usage,
      ...datesOf(name, deps),
    };
  },
});
