/** What must hold before a tool runs. A `check` that throws counts as failed. */
import type { ToolContext } from './context.ts';

interface Base {
  readonly description: string;
  /** A critical one stops the call; any other only marks it degraded. */
  readonly critical: boolean;
  check(context: ToolContext): boolean | Promise<boolean>;
}

export type Precondition =
  | (Base & {
      readonly type: 'resource';
      readonly resource: string;
      readonly availability?: 'required' | 'preferred';
    })
  | (Base & { readonly type: 'state'; readonly state: string; readonly expectedValue?: unknown })
  | (Base & { readonly type: 'permission'; readonly permission: string })
  | (Base & {
      readonly type: 'dependency';
      readonly tool: string;
      readonly status: 'completed' | 'available';
    })
  | (Base & { readonly type: 'custom'; readonly id: string });

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
