/**
 * Creates the HTTP dispatcher. It connects to checked addresses only, verifies certificates for the
 * requested name, and takes no proxy from the environment.
 */
import type { Agent, buildConnector } from 'undici';
import { type Destination, portOf } from './normal-host.ts';
import type { CheckedAddress } from './resolve-checked.ts';

export interface AgentSettings {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca: string | undefined;
  resolve(to: Destination): Promise<readonly CheckedAddress[]>;
}

const MAX_HEADER_BYTES = 32 * 1024;
const CONNECTIONS_PER_ORIGIN = 64;
const KEEP_ALIVE_MS = 4000;
/** A server's wish does not keep a connection, and with it an old answer, much longer. */
const KEEP_ALIVE_MAX_MS = 60_000;
/** How long one address of several may take before the next is tried. */
const NEXT_ADDRESS_MS = 1000;

type Undici = Pick<typeof import('undici'), 'Agent' | 'buildConnector'>;

const pinnedConnector =
  ({ buildConnector: build }: Undici, settings: AgentSettings): buildConnector.connector =>
  (options, callback) => {
    const open = (answers: readonly CheckedAddress[]): void => {
      // Made anew for each connection, since the answers it is pinned to are that connection's own.
      const connect = build({
        timeout: settings.connectTimeoutMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
        lookup: (_host, _options, done) => done(null, [...answers]),
        rejectUnauthorized: true,
        ...(settings.ca !== undefined && { ca: settings.ca }),
      });
      connect(options, callback);
    };
    const { hostname, port, protocol } = options;
    settings
      .resolve({ host: hostname, port: portOf({ protocol, port }) })
      .then(open)
      .catch((error: Error) => callback(error, null));
  };

export const createPinnedAgent = (undici: Undici, settings: AgentSettings): Agent =>
  new undici.Agent({
    connect: pinnedConnector(undici, settings),
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: settings.maxResponseBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    allowH2: false,
  });
