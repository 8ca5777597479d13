/** What every route has at hand. */
import type { Crib } from '../../contract/crib.ts';
import type { Attempts } from './attempts.ts';
import type { ConsoleDoor } from './console-door.ts';
import type { HeldStreams } from './held-streams.ts';
import type { HttpDeps } from './http-deps.ts';
import type { ShadowNotes } from './shadow-notes.ts';
import type { TokenBudgets } from './token-budgets.ts';
import type { TokenDesk } from './token-desk.ts';

export interface HttpSite {
  readonly crib: Crib;
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
