/** Says whether a tool can be called again without a key. */
import type { Tool } from '../contract/tool.ts';

/** True for a tool that changes nothing and calls nobody. */
export const onlyReads = (tool: Tool | undefined): boolean =>
  tool !== undefined &&
  tool.tier === 'read_only' &&
  !tool.callsTools &&
  (tool.effects?.length ?? 0) === 0 &&
  tool.capabilities.every(({ tier }) => tier === undefined || tier === 'read_only');
