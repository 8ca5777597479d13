/** The services that every route is handed. */
import type { CribHost } from '../../contract/crib-host.ts';
import type { Attempts } from './auth/attempts.ts';
import type { ConsoleSessions } from './auth/console-sessions.ts';
import type { TokenService } from './auth/token-service.ts';
import type { HeldStreams } from './held-streams.ts';
import type { HttpDeps } from './http-deps.ts';
import type { ShadowNotes } from './shadow-notes.ts';

export interface HttpServices {
  readonly crib: CribHost;
  readonly deps: HttpDeps;
  readonly tokens: TokenService;
  readonly sessions: ConsoleSessions;
  readonly attempts: Attempts;
  readonly shadow: ShadowNotes;
  /** Streams under way, which end with the right to read them. */
  readonly streams: HeldStreams;
  /** The largest body of a request. */
  readonly bodyBytes: number;
  /** Tells whether the server is shutting down. */
  isDraining(): boolean;
  /** Makes the OpenAPI document of the route table, once. */
  openapi(): Promise<object>;
}
