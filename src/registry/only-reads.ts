/** Says whether a tool can be called again without a key. */
import type { Tool } from '../contract/tool.ts';

/** Tells whether a tool changes nothing and calls no other tools. */
export const onlyReads = (tool: Tool | undefined): boolean =>
  tool !== undefined &&
  tool.tier === 'read_only' &&
  !tool.callsTools &&
  (tool.effects?.length ?? 0) === 0 &&
  tool.capabilities.every(({ tier }) => tier === undefined || tier === 'read_only');
