/** Decides to which hosts the requests of a call carry its trace. */
import { isIP } from 'node:net';
import type { Runtime } from '../../contract/runtime.ts';
import { compileHosts, matchesHost } from '../../governance/egress/host-rule.ts';
import { normalHost } from '../../governance/egress/normal-host.ts';

const LOOPBACK_V6 = '::1';

/** Tells whether a name or address always means this machine. */
const isThisMachine = (host: string): boolean => {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === LOOPBACK_V6 || host === 'localhost' || host.endsWith('.localhost');
};

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
