/**
 * What follows a successful run. Effects are applied in order; if one fails, those applied are
 * rolled back in reverse. The built-in kinds know how to apply and undo themselves; `apply` and
 * `rollback` replace that where a tool needs something else.
 */
import type { ToolContext } from './context.ts';
import type { MemoryScope } from './memory.ts';
import type { ToolResult } from './result.ts';

interface Base {
  readonly description: string;
  readonly reversible: boolean;
  apply?(context: ToolContext, result: ToolResult): void | Promise<void>;
  rollback?(context: ToolContext, result: ToolResult): void | Promise<void>;
}

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** A fixed value, or one computed from the result. */
export type FromResult = PlainValue | ((result: ToolResult) => unknown);

export interface StateChangeEffect extends Base {
  readonly type: 'state_change';
  /** The key in the session's memory. */
  readonly state: string;
  readonly change: 'set' | 'clear' | 'increment' | 'decrement';
  readonly value?: FromResult;
}

export interface MemoryEffect extends Base {
  readonly type: 'memory';
  readonly scope: MemoryScope;
  readonly operation: 'write' | 'update' | 'delete';
  readonly key: string;
  readonly value?: FromResult;
  readonly ttlMs?: number;
}

export interface NotificationEffect extends Base {
  readonly type: 'notification';
  readonly event: string;
  readonly payload?: FromResult;
}

export interface CascadeEffect extends Base {
  readonly type: 'cascade';
  readonly triggerTool: string;
  triggerCondition?(result: ToolResult): boolean;
  readonly input: FromResult;
}

export type Effect = StateChangeEffect | MemoryEffect | NotificationEffect | CascadeEffect;
