/**
 * Opens a server for a crib: the HTTP API with events, metrics, traces, the MCP endpoint and the
 * console. It only connects the services.
 */
import { randomBytes } from 'node:crypto';
import { ToolFailure } from '../contract/errors.ts';
import { nextCronMoment } from '../kit/data/cron-moments.ts';
import { pause } from '../kit/data/pause.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import { CallMetrics } from '../observation/call-metrics.ts';
import { createStoreFollower } from '../observation/follow-store.ts';
import { keepChecking } from '../observation/health/keep-checking.ts';
import { createReadiness } from '../observation/health/readiness.ts';
import { createTraceRing } from '../observation/trace-ring.ts';
import { watchServers } from '../observation/watch-servers.ts';
import type { HttpServer } from '../surfaces/door/listen.ts';
import { createHttpSurface, type HttpSurface } from '../surfaces/http/create-http-surface.ts';
import {
  createEventBroadcast,
  type EventBroadcast,
} from '../surfaces/http/events/create-event-broadcast.ts';
import { relayChanges } from '../surfaces/http/events/relay-changes.ts';
import { assertReachable, listenFault } from './listen-address.ts';
import { openMcpEndpoint } from './mcp-endpoint.ts';
import { httpDepsOf, type OpenedServices, type ServerDeps } from './server-deps.ts';

export interface RunningServer {
  readonly url: string;
  /** Makes a link that signs the person at this machine in to the console, once. */
  consoleLink(): string;
  /** Counts the running calls. */
  running(): number;
  /**
   * Takes no new calls, waits for running ones up to `server.drainMs`, cancels the rest and
   * disconnects all clients. The crib stays open. Resolves to the number of cancelled calls.
   */
  close(): Promise<number>;
}

/** How long open answers may take once their calls are over. */
const CLOSE_MS = 2000;
/** How long replies of calls that have ended may take to leave. */
const REPLY_MS = 250;

const openServices = (deps: ServerDeps): OpenedServices => {
  const { crib, runtime, version, describe } = deps;
  const { server, mcp } = deps.loaded.config;
  const isTool = (name: string): boolean => crib.tools.has(name);
  const traces = createTraceRing(crib.events);
  const calls = new CallMetrics(crib.events, { runtime, isTool });
  const events: EventBroadcast = createEventBroadcast(crib.events, {
    runtime,
    run: randomBytes(8).toString('hex'),
    // Timing every stage and reading the store cost time, so they run only while a client watches.
    onWatched: (isWatched) => {
      traces.watch(isWatched);
      follower.watch(isWatched);
    },
  });
  const follower = createStoreFollower({
    store: () => crib.store(),
    runtime,
    events: crib.events,
    changes: relayChanges(events, (executionId) => calls.isRunning(executionId)),
  });
  return {
    calls,
    traces,
    events,
    mcp: openMcpEndpoint({
      crib,
      runtime,
      version,
      describe,
      maxBodyBytes: server.maxBodyBytes,
      flows: mcp.flows,
    }),
    readiness: createReadiness({ crib, runtime }),
  };
};

/** Resolves when no call runs any more, or when the time is over. */
const whenIdle = (calls: CallMetrics, { crib, runtime, loaded }: ServerDeps): Promise<void> =>
  new Promise((resolve) => {
    const stop = crib.events.on('call.measured', () => {
      // Another listener of the same event updates the count.
      queueMicrotask(() => {
        if (calls.running.length === 0) end();
      });
    });
    const limit = runtime.after(loaded.config.server.drainMs, () => end());
    const end = (): void => {
      stop();
      limit.cancel();
      resolve();
    };
    if (calls.running.length === 0) end();
  });

interface Listening {
  readonly surface: HttpSurface;
  readonly server: HttpServer;
}

const startListening = async (deps: ServerDeps, services: OpenedServices): Promise<Listening> => {
  const surface = createHttpSurface(deps.crib, httpDepsOf(deps, services));
  const { host, port } = deps;
  const server = await surface.listen({ host, port }).catch((error: unknown) => {
    surface.close();
    throw listenFault(error);
  });
  return { surface, server };
};

const stopMeasuring = ({ calls, traces }: OpenedServices): void => {
  calls.close();
  traces.close();
};

/** Watches servers, counts calls and runs scheduled checks; returns a function that stops it all. */
const observe = ({ crib, runtime }: ServerDeps): (() => Promise<void>) => {
  const store = () => crib.store();
  const stopWatching = watchServers(crib.servers, { events: crib.events, runtime });
  const stopCounting = crib.keepCounting();
  const stopChecking = keepChecking({ store, runtime, health: crib.health });
  const stopAlerts = crib.raiseAlerts();
  return async () => {
    stopWatching();
    await stopCounting();
    await stopChecking();
    await stopAlerts();
  };
};

/** Checks `observation.healthChecks`. Throws CONFIG_INVALID for a pattern that makes no sense. */
const assertHealthChecks = ({ loaded, runtime }: ServerDeps): void => {
  const { healthChecks: cron } = loaded.config.observation;
  if (cron === undefined) return;
  try {
    nextCronMoment({ cron }, runtime.now());
  } catch (error) {
    throw new ToolFailure('CONFIG_INVALID', `observation.healthChecks: ${reasonOf(error)}`);
  }
};

/**
 * Opens the server. Throws CONFIG_INVALID for an address that it must not or cannot listen on,
 * CONFLICT for a port in use.
 */
export const openServer = async (deps: ServerDeps): Promise<RunningServer> => {
  assertReachable(deps.host, deps.loaded.config.server);
  assertHealthChecks(deps);
  const { crib, runtime } = deps;
  const services = openServices(deps);
  const { surface, server } = await startListening(deps, services).catch((error: unknown) => {
    stopMeasuring(services);
    throw error;
  });
  crib.continueFlows().catch((error: unknown) => {
    runtime.log.warn('runs of flows are not continued', { error: String(error) });
  });
  const stopObserving = observe(deps);
  const shutDown = async (): Promise<number> => {
    services.readiness.drain();
    surface.drain();
    await whenIdle(services.calls, deps);
    const left = services.calls.running.filter((id) => crib.executions.cancel(id)).length;
    services.events.close();
    const closing = server.close(CLOSE_MS);
    // Calls have ended, but their replies may still be on the way: closing sessions would lose them.
    await Promise.race([closing, pause(REPLY_MS, runtime)]);
    await services.mcp.close();
    await closing;
    surface.close();
    await stopObserving();
    stopMeasuring(services);
    return left;
  };
  const home = (deps.loaded.config.server.publicUrl ?? server.url).replace(/\/+$/, '');
  let closing: Promise<number> | undefined;
  return {
    url: server.url,
    running: () => services.calls.running.length,
    // Behind the hash, so that the code is in no log of a proxy and no Referer.
    consoleLink: () => `${home}/#code=${surface.issueCode({ user: 'local', role: 'admin' })}`,
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
};
