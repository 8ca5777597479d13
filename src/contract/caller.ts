/** Who calls. Policy, limits, budgets, memory and the audit trail are all kept by these names. */

export type Isolation = 'none' | 'basic' | 'strict' | 'paranoid';

export interface Caller {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** One turn of an agent's loop. */
  readonly loopId: string;
  readonly roles: readonly string[];
  /** Permissions held, e.g. `tool:web_search`; `*` is all, and what a call has that names none. */
  readonly permissions: readonly string[];
  readonly isolation: Isolation;
}

export const LOCAL_CALLER: Caller = Object.freeze({
  userId: 'local',
  agentId: 'local',
  sessionId: 'local',
  loopId: 'local',
  roles: Object.freeze(['owner']),
  permissions: Object.freeze(['*']),
  isolation: 'none',
});
