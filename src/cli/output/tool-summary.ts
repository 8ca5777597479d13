/** Shows a tool on the command line: its badge, its marks, and its data for `--json`. */
import type { Colors } from 'picocolors/types.js';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { Tier, ToolSource } from '../../contract/tool.ts';
import type { Cell } from './table.ts';

const BADGES: Readonly<Record<ToolSource, string>> = {
  builtin: '[Built-in]',
  team: '[Team]',
  mcp: '[MCP]',
  package: '[Package]',
  external: '[External]',
  workflow: '[Workflow]',
  composed: '[Composed]',
  custom: '[Custom]',
};

export const badgeOf = (source: ToolSource): string => BADGES[source];

export const markCell = (enabled: boolean, ink: Colors): Cell =>
  enabled ? { text: '✓', paint: ink.green } : { text: '✗', paint: ink.red };

export const tierCell = (tier: Tier, ink: Colors): Cell => {
  const paints = {
    read_only: ink.green,
    write: ink.yellow,
    execute: ink.red,
    external_api: ink.magenta,
  };
  return { text: tier, paint: paints[tier] };
};

/** Returns the first sentence, for lists with one line for each tool. */
export const firstSentence = (text: string): string =>
  /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

export const toolSummary = ({ tool, enabled, deprecated, wireName, quarantine }: CatalogEntry) => ({
  name: tool.name,
  version: tool.version,
  description: tool.description,
  source: tool.source,
  category: tool.category,
  tier: tool.tier,
  tags: tool.tags ?? [],
  enabled,
  deprecated,
  wireName,
  ...(quarantine && { quarantine }),
});
