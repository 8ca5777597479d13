/**
 * What tools of sources outside have in common: where they come from, what they reach, and how they are
 * governed. The user decides about tier and labels; what the user leaves open counts as the worse case.
 */
import type { ExternalSettings } from '../../contract/source-driver.ts';
import type { AssignedFlow, Tier, Tool } from '../../contract/tool.ts';
import { isToolName } from '../../contract/tool-name.ts';
import { ownValue } from '../data/own-value.ts';
import { isLoopback } from '../http/loopback.ts';
import { secretKeysOf } from '../text/resolve-secrets.ts';

export interface SourceToolFacts {
  /** The name that the source gives the tool. */
  readonly name: string;
  /** By the kind of operation; counts where the user says nothing. */
  readonly tier: Tier;
  /** The address of the service, as the configuration names it. */
  readonly url: URL;
  /** Keys of secrets beside those of the headers. */
  readonly secrets?: readonly string[];
}

const assignedFlow = (
  { labels = {}, toolLabels = {} }: ExternalSettings,
  name: string,
): AssignedFlow => {
  const assigned = { ...labels, ...ownValue(toolLabels, name) };
  return {
    trust: assigned.trust ?? 'untrusted',
    sensitivity: assigned.sensitivity ?? 'private',
    // Its input leaves this machine.
    sink: assigned.sink ?? true,
  };
};

type SharedFields = Pick<
  Tool,
  'source' | 'category' | 'tier' | 'tags' | 'server' | 'timeoutMs' | 'needs' | 'assigned'
> &
  Partial<Pick<Tool, 'aliases'>>;

export const sourceToolFields = (
  settings: ExternalSettings,
  { name, tier, url, secrets = [] }: SourceToolFacts,
): SharedFields => {
  const keys = [...new Set([...secretKeysOf(settings.headers), ...secrets])];
  const qualified = `${settings.name}.${name}`;
  return {
    source: 'external',
    category: 'api',
    tier: ownValue(settings.toolTiers, name) ?? settings.tier ?? tier,
    tags: [settings.kind, settings.name],
    server: `${settings.kind}:${settings.name}`,
    // Always leads to this tool, also when another one has the short name.
    ...(isToolName(qualified) && { aliases: [qualified] }),
    assigned: assignedFlow(settings, name),
    timeoutMs: settings.timeoutMs,
    needs: {
      hosts: [url.host],
      ...(isLoopback(url) && { localHosts: [url.host] }),
      ...(keys.length > 0 && { secrets: keys }),
    },
  };
};
