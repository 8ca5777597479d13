/** Makes the breakers and bulkheads of a crib: one pair per tool and one per server that tools share. */
import type { CircuitStatus } from '../../contract/health.ts';
import type { Tool } from '../../contract/tool.ts';
import { perTool } from '../per-tool.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { CallerBreakers, CircuitBreaker } from './breaker.ts';
import { Bulkhead } from './bulkhead.ts';

export interface ToolGuards {
  /** The tool's own, and its server's. */
  readonly breakers: readonly CircuitBreaker[];
  /** The one among them that all tools of the server share. */
  readonly serverBreaker: CircuitBreaker | undefined;
  /** Of single callers; undefined where the breaker is switched off. */
  readonly callers: CallerBreakers | undefined;
  readonly bulkheads: readonly Bulkhead[];
  /**
   * `bulkheads` and the one that all tools share. Calls that a tool makes do not enter the shared one: they
   * could wait for their own parent.
   */
  readonly bulkheadsAndAll: readonly Bulkhead[];
}

export interface Guards {
  guardsOf(tool: Tool): ToolGuards;
  /**
   * Forgets the failures of all tools of a restarted server. Returns whose circuits it closed: the names of
   * tools, and any one tool of the server when the circuit that they share was open.
   */
  reset(server: string): ClosedCircuits;
  /** Returns the circuit that blocks calls of a tool, or else its own; creates none for a tool never called. */
  circuitOf(tool: Tool, now: number): CircuitStatus;
}

export interface ClosedCircuits {
  readonly tools: readonly string[];
  readonly serverTool?: string;
}

const DEFAULT_QUEUE = 100;

interface Pair {
  readonly breaker: CircuitBreaker | undefined;
  readonly callers: CallerBreakers | undefined;
  readonly bulkhead: Bulkhead | undefined;
}

interface CircuitFacts {
  readonly name: string;
  readonly server: string | undefined;
  readonly own: Pair | undefined;
  readonly shared: CircuitBreaker | undefined;
  readonly now: number;
}

/** Finds the circuit that rests longest; one for everybody comes before those of single callers. */
const circuitIn = ({ name, server, own, shared, now }: CircuitFacts): CircuitStatus => {
  const ofAll = [shared, own?.breaker].filter((breaker) => breaker?.isTripped);
  const ofCallers = own?.callers?.tripped() ?? [];
  const [breaker = own?.breaker] = (ofAll.length > 0 ? ofAll : [...ofCallers]).sort(
    (one, other) => (other?.restMs(now) ?? 0) - (one?.restMs(now) ?? 0),
  );
  if (!breaker) return { tool: name, state: 'closed', failures: 0 };
  const state = breaker.state(now);
  return {
    tool: name,
    state,
    failures: breaker.failures,
    ...(state === 'open' && { openUntil: now + breaker.restMs(now) }),
    ...(breaker === shared && server !== undefined && { server }),
    ...(ofAll.length === 0 && ofCallers.length > 0 && { callers: ofCallers.length }),
  };
};

/** Closes the circuits of tools that share a server; says which were not closed before. */
const closeAll = (byName: ReadonlyMap<ToolGuards, string>): ClosedCircuits => {
  const tools = new Set<string>();
  let serverTool: string | undefined;
  for (const [{ breakers, serverBreaker, callers }, name] of byName) {
    for (const breaker of breakers) {
      if (breaker.isTripped && breaker === serverBreaker) serverTool ??= name;
      else if (breaker.isTripped) tools.add(name);
      breaker.reset();
    }
    callers?.clear();
  }
  return { tools: [...tools], ...(serverTool !== undefined && { serverTool }) };
};

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
    const ofServer =
      tool.server === undefined ? undefined : pairOf(`server ${tool.server}`, settings);
    const pairs = ofServer ? [own, ofServer] : [own];
    const bulkheads = pairs.flatMap(({ bulkhead }) => (bulkhead ? [bulkhead] : []));
    return {
      callers: own.callers,
      breakers: pairs.flatMap(({ breaker }) => (breaker ? [breaker] : [])),
      serverBreaker: ofServer?.breaker,
      bulkheads,
      bulkheadsAndAll: [...bulkheads, allTools],
    };
  };

  const byServer = new Map<string, Map<ToolGuards, string>>();
  const guardsOf = perTool((tool) => {
    const guards = make(tool);
    if (tool.server === undefined) return guards;
    const ofServer = byServer.get(tool.server) ?? new Map<ToolGuards, string>();
    byServer.set(tool.server, ofServer.set(guards, tool.name));
    return guards;
  });
  const reset = (server: string): ClosedCircuits => closeAll(byServer.get(server) ?? new Map());
  const circuitOf = ({ name, server }: Tool, now: number): CircuitStatus =>
    circuitIn({
      name,
      server,
      now,
      own: byName.get(`tool ${name}`),
      shared: server === undefined ? undefined : byName.get(`server ${server}`)?.breaker,
    });
  return { guardsOf, reset, circuitOf };
};
