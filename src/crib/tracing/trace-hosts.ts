/** Decides to which hosts the requests of a call carry its trace. */
import type { Runtime } from '../../contract/runtime.ts';
import { compileHosts, matchesHost } from '../../governance/egress/host-rule.ts';
import { normalHost } from '../../governance/egress/normal-host.ts';
import { isLoopbackHost } from '../../kit/http/loopback.ts';

/** Tells whether a name or address always means this machine: names below `localhost` do (RFC 6761). */
const isThisMachine = (host: string): boolean =>
  isLoopbackHost(host) || host.endsWith('.localhost');

/** Returns a runtime whose requests carry the trace to these hosts, and to those of this machine. */
export const withTraceHosts = (runtime: Runtime, patterns: readonly string[]): Runtime => {
  const { telemetry } = runtime;
  if (!telemetry) return runtime;
  const rules = compileHosts(patterns);
  return {
    ...runtime,
    telemetry: {
      recordsContent: telemetry.recordsContent,
      start: (name, start) => telemetry.start(name, start),
      sendsTraceTo: (hostname, port) => {
        const host = normalHost(hostname);
        if (host === undefined) return false;
        return isThisMachine(host) || rules.some((rule) => matchesHost(rule, { host, port }));
      },
    },
  };
};
