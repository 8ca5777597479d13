/** What is on record about a tool: when it was added, and how its calls went. */
import type { CallFigures } from './metrics.ts';
import type { Tool } from './tool.ts';

/** How often a tool was called, for as long as figures are kept (`observation.historyDays.days`). */
export interface ToolUsageFacts {
  /** All calls that ended, refused ones too. */
  readonly count: number;
  /** Calls that failed, took too long or were left in doubt. */
  readonly errors: number;
  /** The day of the first call that is counted; milliseconds since the epoch, UTC. Absent for none. */
  readonly firstUsed?: number;
  /** When the newest call that the audit trail still has ended; milliseconds since the epoch. */
  readonly lastUsed?: number;
}

export interface ToolMetadata
  extends Pick<
    Tool,
    | 'name'
    | 'version'
    | 'description'
    | 'author'
    | 'license'
    | 'tags'
    | 'category'
    | 'documentation'
    | 'examples'
  > {
  /** How its calls went in the requested range, by default in the last 30 days. */
  readonly performance: CallFigures;
  readonly usage: ToolUsageFacts;
  /**
   * When a definition of the tool was first accepted; milliseconds since the epoch. Only tools from outside
   * have a line in the lock: it is absent for tools that ship, and for those that a program brings.
   */
  readonly created?: number;
  /** When the newest definition of it was accepted; absent like `created`. */
  readonly lastModified?: number;
}
