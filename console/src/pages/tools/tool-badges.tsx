/** How a tool stands: its risk, and whether it can be called at all. */
import type { ToolSummary } from '../../api/tool-records.ts';
import { Badge, TierBadge } from '../../components/badge.tsx';

export const ToolState = ({ tool }: { readonly tool: ToolSummary }) => (
  <span className="badges">
    {tool.quarantine && <Badge tone="bad">quarantined: {tool.quarantine.reason}</Badge>}
    {!tool.quarantine && !tool.enabled && <Badge>off</Badge>}
    {tool.deprecated && <Badge tone="warn">deprecated</Badge>}
    {!tool.quarantine && tool.enabled && !tool.deprecated && <Badge tone="good">on</Badge>}
  </span>
);

export const ToolBadges = ({ tool }: { readonly tool: ToolSummary }) => (
  <span className="badges">
    <TierBadge tier={tool.tier} />
    <ToolState tool={tool} />
  </span>
);
