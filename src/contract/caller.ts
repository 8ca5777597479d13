/** Who calls. Policy, limits, budgets, memory and the audit trail are all kept by these names. */

export type Isolation = 'none' | 'basic' | 'strict' | 'paranoid';

/** The names that limits and labels go by. */
export interface CallerNames {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
}

export interface Caller extends CallerNames {
  /** One turn of an agent's loop. */
  readonly loopId: string;
  readonly roles: readonly string[];
  /** Permissions held, e.g. `tool:web_search`; `*` is all of them; a call that names none has `*`. */
  readonly permissions: readonly string[];
  readonly isolation: Isolation;
  /** The only tools that may be called, by their own names, inner calls included; all when absent. */
  readonly tools?: readonly string[] | undefined;
  /**
   * Set by a surface whose callers choose their agent and session: what was proven of the caller.
   * Rate limits, budgets, the loop breaker and flow labels go by it, so that a new name escapes none
   * of them. Absent where the embedding program names the caller and vouches for the names.
   */
  readonly authenticated?: CallerNames | undefined;
}

/** Returns the names that limits and labels go by. */
export const provenNames = (caller: Caller): CallerNames => caller.authenticated ?? caller;

/** Tells whether a caller is an owner or admin, who may act on what other users made. */
export const isOwner = ({ roles }: Pick<Caller, 'roles'>): boolean =>
  roles.includes('owner') || roles.includes('admin');

export const LOCAL_CALLER: Caller = Object.freeze({
  userId: 'local',
  agentId: 'local',
  sessionId: 'local',
  loopId: 'local',
  roles: Object.freeze(['owner']),
  permissions: Object.freeze(['*']),
  isolation: 'none',
});
