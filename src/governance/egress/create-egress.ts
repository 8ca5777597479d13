/**
 * Sends every request of every tool, hop by hop. Each hop is judged by the tool's hosts, its name
 * resolved once, all answers checked and the checked address connected to.
 */
import type { Agent } from 'undici';
import { ToolFailure } from '../../contract/errors.ts';
import { dispatchOptions } from './dispatch-options.ts';
import { type Answer, exchange } from './exchange.ts';
import { compileHosts } from './host-rule.ts';
import { createAddressRules, createUrlJudge, type UrlVerdict } from './judge-url.ts';
import { limitedResponse } from './limited-response.ts';
import { nextHop } from './next-hop.ts';
import type { Destination } from './normal-host.ts';
import { type OutgoingRequest, takeRequest } from './outgoing-request.ts';
import { type AgentSettings, createPinnedAgent } from './pinned-agent.ts';
import {
  type Lookup,
  refusalFailure,
  resolveChecked,
  resolveDestination,
  systemLookup,
} from './resolve-checked.ts';

export interface EgressSettings {
  /** Local hosts, addresses and ranges that may be reached. Metadata services never are. */
  readonly allowPrivate?: readonly string[];
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  /** Between two pieces of a body. */
  readonly bodyTimeoutMs?: number;
  /** Of one response, packed as well as unpacked. */
  readonly maxResponseBytes?: number;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string;
}

/** On whose behalf requests are made. */
export interface EgressScope {
  /** Patterns as in `needs.hosts`. */
  readonly hosts: readonly string[];
  /** Local hosts that this scope may reach as well, with their port; see `allowPrivate`. */
  readonly local?: readonly string[];
  /** Ends the requests when the call ends. */
  signal(): AbortSignal;
  /** Called for each hop before it is made. */
  onHop(url: URL): void;
}

export interface EgressInit extends RequestInit {
  readonly scope?: EgressScope;
}

export interface Egress {
  /** Reaches the hosts of the scope, and nothing without one; fails with a coded `ToolFailure`. */
  readonly fetch: (input: string | URL | Request, init?: EgressInit) => Promise<Response>;
  /** Resolves a host to a checked address, for protocols other than HTTP. */
  resolve(to: Destination, scope: EgressScope): Promise<string>;
  /** Breaks off what is under way. Later requests fail. */
  close(): Promise<void>;
}

const UNSCOPED = 'The request was refused: it belongs to no call.';
const MAX_REDIRECTS = 10;
const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
const RESPONSE_BYTES = 50_000_000;

interface Trip {
  readonly judge: (url: string) => UrlVerdict;
  readonly onHop: (url: URL) => void;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  agent(): Promise<Agent>;
}

const admitted = (verdict: UrlVerdict): URL => {
  if (!verdict.allowed) throw refusalFailure(verdict);
  return verdict.url;
};

/** Sends a request whose URL was judged, and goes on from redirect to redirect. */
const travel = async (first: OutgoingRequest, trip: Trip): Promise<Response> => {
  let request = first;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { url, method } = request;
    trip.onHop(url);
    const answer: Answer = await exchange(
      await trip.agent(),
      dispatchOptions(request),
      trip.signal,
    );
    const location = answer.headers.get('location');
    const next = nextHop(request, { status: answer.status, location });
    if (next === undefined) {
      return limitedResponse(answer, { ...trip, method, url, redirected: hop > 0 });
    }
    answer.body.cancel();
    request = { ...next, url: admitted(trip.judge(next.url.href)) };
  }
  throw new ToolFailure('NETWORK', 'The request was redirected too often.', {
    suggestions: ['Call the final address directly.'],
  });
};

/**
 * Joins the signal of the call with that of the request. Most tools pass the signal of their call,
 * or none.
 */
const eitherOf = (call: AbortSignal, own: AbortSignal | undefined): AbortSignal =>
  own === undefined || own === call ? call : AbortSignal.any([call, own]);

const agentSettings = (settings: EgressSettings, maxResponseBytes: number): AgentSettings => {
  const { connectTimeoutMs = CONNECT_MS, lookup = systemLookup, allowPrivate, ca } = settings;
  const deps = { lookup, rules: createAddressRules(allowPrivate), timeoutMs: connectTimeoutMs };
  return {
    connectTimeoutMs,
    headersTimeoutMs: settings.headersTimeoutMs ?? ANSWER_MS,
    bodyTimeoutMs: settings.bodyTimeoutMs ?? ANSWER_MS,
    maxResponseBytes,
    ca,
    resolve: (to) => resolveChecked(to, deps),
  };
};

/** Throws `CONFIG_INVALID` for an `allowPrivate` that cannot be read. Loads nothing until used. */
export const createEgress = (settings: EgressSettings = {}): Egress => {
  const { allowPrivate: allowed = [] } = settings;
  const maxBytes = settings.maxResponseBytes ?? RESPONSE_BYTES;
  const rules = createAddressRules(allowed);
  const forAgent = agentSettings(settings, maxBytes);
  let opened: Promise<Agent> | undefined;
  let closed = false;
  /** By the local hosts that a scope may reach as well: connections are not shared with other scopes. */
  const widened = new Map<string, Egress>();

  const agent = (): Promise<Agent> => {
    if (closed) throw new ToolFailure('NETWORK', 'The crib is closed, so no request is sent.');
    opened ??= import('undici').then((undici) => createPinnedAgent(undici, forAgent));
    return opened;
  };

  const widenedBy = (local: readonly string[]): Egress => {
    const key = local.join(' ');
    const allowPrivate = [...allowed, ...local];
    const egress = widened.get(key) ?? createEgress({ ...settings, allowPrivate });
    widened.set(key, egress);
    return egress;
  };

  return {
    fetch: async (input, init) => {
      const scope = init?.scope;
      if (scope === undefined) throw new ToolFailure('PERMISSION_DENIED', UNSCOPED);
      if (scope.local && scope.local.length > 0) {
        return widenedBy(scope.local).fetch(input, { ...init, scope: { ...scope, local: [] } });
      }
      const judge = createUrlJudge(compileHosts(scope.hosts), rules);
      // A `Request` says where it goes when it is taken, and nothing that it says before counts.
      const judged = input instanceof Request ? undefined : admitted(judge(String(input)));
      const { request, signal: own } = await takeRequest(judged ?? (input as Request), init);
      const url = judged ?? admitted(judge(request.url.href));
      const signal = eitherOf(scope.signal(), own);
      const onHop = (to: URL): void => scope.onHop(to);
      return travel({ ...request, url }, { judge, onHop, signal, maxBytes, agent });
    },
    resolve: (to, scope) =>
      scope.local && scope.local.length > 0
        ? widenedBy(scope.local).resolve(to, { ...scope, local: [] })
        : resolveDestination(to, scope, { rules, resolve: forAgent.resolve }),
    close: async () => {
      closed = true;
      await Promise.all([...widened.values()].map((egress) => egress.close()));
      await (await opened)?.destroy();
    },
  };
};
