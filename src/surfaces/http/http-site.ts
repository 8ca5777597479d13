/** What every route has at hand. */
import type { CribHost } from '../../contract/crib-host.ts';
import type { Attempts } from './auth/attempts.ts';
import type { ConsoleDoor } from './auth/console-sessions.ts';
import type { TokenBudgets } from './auth/token-budgets.ts';
import type { TokenDesk } from './auth/token-service.ts';
import type { HeldStreams } from './held-streams.ts';
import type { HttpDeps } from './http-deps.ts';
import type { ShadowNotes } from './shadow-notes.ts';

export interface HttpSite {
  readonly crib: CribHost;
  readonly deps: HttpDeps;
  readonly tokens: TokenDesk;
  readonly door: ConsoleDoor;
  readonly attempts: Attempts;
  readonly shadow: ShadowNotes;
  readonly budgets: TokenBudgets;
  /** Streams under way, which end with the right to read them. */
  readonly streams: HeldStreams;
  /** The OpenAPI document of the route table; made when it is first asked for. */
  openapi(): Promise<object>;
}
