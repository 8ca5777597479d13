/** Tells tools that change nothing from all others. */
import type { Tool } from '../contract/tool.ts';

/** Doubt means that it may change something. */
export const onlyReads = (tool: Tool | undefined): boolean =>
  tool !== undefined &&
  tool.tier === 'read_only' &&
  !tool.callsTools &&
  (tool.effects?.length ?? 0) === 0 &&
  tool.capabilities.every(({ tier }) => tier === undefined || tier === 'read_only');
