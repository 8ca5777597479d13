/** Makes the breakers and bulkheads of a crib: one pair per tool and one per server that tools share. */
import type { Tool } from '../../contract/tool.ts';
import { perTool } from '../per-tool.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { CallerBreakers, CircuitBreaker } from './breaker.ts';
import { Bulkhead } from './bulkhead.ts';

export interface ToolGuards {
  /** The tool's own, and its server's. */
  readonly breakers: readonly CircuitBreaker[];
  /** Of single callers; undefined where the breaker is switched off. */
  readonly callers: CallerBreakers | undefined;
  readonly bulkheads: readonly Bulkhead[];
  /** With the one of all tools. Calls made by running tools skip that, or they could wait for ever. */
  readonly bulkheadsAndAll: readonly Bulkhead[];
}

export interface Guards {
  guardsOf(tool: Tool): ToolGuards;
  /** Forgets the failures of all tools of a server that was started anew. */
  reset(server: string): void;
}

const DEFAULT_QUEUE = 100;

interface Pair {
  readonly breaker: CircuitBreaker | undefined;
  readonly callers: CallerBreakers | undefined;
  readonly bulkhead: Bulkhead | undefined;
}

export const createGuards = (
  settingsOf: (tool: Tool) => ToolSettings,
  allTools: Bulkhead,
): Guards => {
  const byName = new Map<string, Pair>();

  const pairOf = (name: string, { breaker, concurrency }: ToolSettings): Pair => {
    let pair = byName.get(name);
    if (!pair) {
      pair = {
        breaker: breaker && new CircuitBreaker(breaker),
        callers: breaker && new CallerBreakers(breaker),
        bulkhead:
          concurrency && new Bulkhead(concurrency.limit, concurrency.queue ?? DEFAULT_QUEUE),
      };
      byName.set(name, pair);
    }
    return pair;
  };

  const make = (tool: Tool): ToolGuards => {
    const settings = settingsOf(tool);
    const own = pairOf(`tool ${tool.name}`, settings);
    const pairs = [own];
    if (tool.server !== undefined) pairs.push(pairOf(`server ${tool.server}`, settings));
    const bulkheads = pairs.flatMap(({ bulkhead }) => (bulkhead ? [bulkhead] : []));
    return {
      callers: own.callers,
      breakers: pairs.flatMap(({ breaker }) => (breaker ? [breaker] : [])),
      bulkheads,
      bulkheadsAndAll: [...bulkheads, allTools],
    };
  };

  const byServer = new Map<string, Set<ToolGuards>>();
  const guardsOf = perTool((tool) => {
    const guards = make(tool);
    if (tool.server === undefined) return guards;
    const ofServer = byServer.get(tool.server) ?? new Set();
    byServer.set(tool.server, ofServer.add(guards));
    return guards;
  });
  const reset = (server: string): void => {
    for (const { breakers, callers } of byServer.get(server) ?? []) {
      for (const breaker of breakers) breaker.reset();
      callers?.clear();
    }
  };
  return { guardsOf, reset };
};
