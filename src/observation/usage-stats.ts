/** Counts how often and how fast each tool ran in this process; search ranks by it. */

/** Names above this limit are not counted, so that they cannot fill the memory. */
const MAX_TOOLS = 10_000;

export interface ToolUsage {
  readonly calls: number;
  readonly lastUsedAt: number;
  readonly averageMs: number;
}

export class UsageStats {
  readonly #tools = new Map<string, { calls: number; lastUsedAt: number; totalMs: number }>();

  note(tool: string, at: number, durationMs: number): void {
    const usage = this.#tools.get(tool);
    if (usage) {
      usage.calls++;
      usage.lastUsedAt = at;
      usage.totalMs += durationMs;
    } else if (this.#tools.size < MAX_TOOLS) {
      this.#tools.set(tool, { calls: 1, lastUsedAt: at, totalMs: durationMs });
    }
  }

  of(tool: string): ToolUsage | undefined {
    const usage = this.#tools.get(tool);
    if (!usage) return undefined;
    const { calls, lastUsedAt, totalMs } = usage;
    return { calls, lastUsedAt, averageMs: totalMs / calls };
  }
}
