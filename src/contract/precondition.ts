/**
 * What must hold before a tool runs. What a precondition says as data is judged by the pipeline, and
 * its `check`, where there is one, has to agree. A `check` that throws counts as failed.
 */
import type { ToolContext } from './context.ts';

type Check = (context: ToolContext) => boolean | Promise<boolean>;

interface Base {
  readonly description: string;
  /** A critical one stops the call; any other only marks it degraded. */
  readonly critical: boolean;
}

/** Only its `check` knows. One that is `required` is critical, whatever `critical` says. */
export interface ResourcePrecondition extends Base {
  readonly type: 'resource';
  readonly resource: string;
  readonly availability?: 'required' | 'preferred';
  readonly check: Check;
}

/**
 * A value that `state_change` effects left in the session's memory. It has to equal `expectedValue`,
 * or `expectedValue` is a function that has to return true for it. A state that was never set is left
 * to `check`, and fails without one.
 */
export interface StatePrecondition extends Base {
  readonly type: 'state';
  readonly state: string;
  readonly expectedValue?: unknown;
  readonly check?: Check;
}

/** The caller holds it, by itself, by a role or by a standing grant. */
export interface PermissionPrecondition extends Base {
  readonly type: 'permission';
  readonly permission: string;
  readonly check?: Check;
}

/**
 * `available`: the tool can be called. `completed`: a call of it by this user in this session
 * succeeded, and was not undone.
 */
export interface DependencyPrecondition extends Base {
  readonly type: 'dependency';
  readonly tool: string;
  readonly status: 'completed' | 'available';
  readonly check?: Check;
}

export interface CustomPrecondition extends Base {
  readonly type: 'custom';
  readonly id: string;
  readonly check: Check;
}

export type Precondition =
  | ResourcePrecondition
  | StatePrecondition
  | PermissionPrecondition
  | DependencyPrecondition
  | CustomPrecondition;

export interface PreconditionCheck {
  readonly type: Precondition['type'];
  readonly description: string;
  readonly critical: boolean;
  readonly passed: boolean;
}

export interface PreconditionReport {
  readonly passed: boolean;
  readonly criticalFailed: boolean;
  readonly canProceed: boolean;
  readonly degradedMode: boolean;
  readonly results: readonly PreconditionCheck[];
}
