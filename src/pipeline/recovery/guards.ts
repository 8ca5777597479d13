/** The breakers and bulkheads of a crib: one pair per tool and one per server that tools share. */
import type { Tool } from '../../contract/tool.ts';
import { perTool } from '../per-tool.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { CircuitBreaker } from './breaker.ts';
import { Bulkhead } from './bulkhead.ts';

export interface ToolGuards {
  /** The tool's own, and its server's. */
  readonly breakers: readonly CircuitBreaker[];
  readonly bulkheads: readonly Bulkhead[];
  /** The same and the one of all tools. Calls made by running tools skip it, or they could wait for ever. */
  readonly bulkheadsAndAll: readonly Bulkhead[];
}

const DEFAULT_QUEUE = 100;

interface Pair {
  readonly breaker: CircuitBreaker | undefined;
  readonly bulkhead: Bulkhead | undefined;
}

export const createGuards = (
  settingsOf: (tool: Tool) => ToolSettings,
  allTools: Bulkhead,
): ((tool: Tool) => ToolGuards) => {
  const byName = new Map<string, Pair>();

  const pairOf = (name: string, { breaker, concurrency }: ToolSettings): Pair => {
    let pair = byName.get(name);
    if (!pair) {
      pair = {
        breaker: breaker && new CircuitBreaker(breaker),
        bulkhead:
          concurrency && new Bulkhead(concurrency.limit, concurrency.queue ?? DEFAULT_QUEUE),
      };
      byName.set(name, pair);
    }
    return pair;
  };

  const make = (tool: Tool): ToolGuards => {
    const settings = settingsOf(tool);
    const pairs = [pairOf(`tool ${tool.name}`, settings)];
    if (tool.server !== undefined) pairs.push(pairOf(`server ${tool.server}`, settings));
    const bulkheads = pairs.flatMap(({ bulkhead }) => (bulkhead ? [bulkhead] : []));
    return {
      breakers: pairs.flatMap(({ breaker }) => (breaker ? [breaker] : [])),
      bulkheads,
      bulkheadsAndAll: [...bulkheads, allTools],
    };
  };

  return perTool(make);
};
