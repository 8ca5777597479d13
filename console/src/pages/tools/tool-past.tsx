/** How often a tool was called in all, and when it came and was last changed. */
import type { ToolMetadata } from '../../api/metric-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { type Fact, Facts } from '../../components/facts.tsx';
import { count, utcDay } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';

const moment = (at: number | undefined) => at !== undefined && <RelativeTime at={at} />;

const factsOf = ({ usage, created, lastModified }: ToolMetadata): readonly Fact[] => [
  ['Calls in all', `${count(usage.count)}, ${count(usage.errors)} failed`],
  ['First used', usage.firstUsed !== undefined && utcDay(usage.firstUsed)],
  ['Last used', moment(usage.lastUsed)],
  ['Accepted', moment(created)],
  ['Last changed', moment(lastModified)],
];

/** Shows nothing while it loads, and to people who may not see figures: the page has the rest. */
export const ToolPast = ({ tool }: { readonly tool: string }) => {
  const { api } = useServices();
  const path = `/v1/tools/${encodeURIComponent(tool)}/metadata`;
  const { data } = useLoad(path, () => api.get<ToolMetadata>(path));
  return data ? <Facts of={factsOf(data)} /> : null;
};
