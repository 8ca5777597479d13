/** How a tool has been used, as far as anybody kept count. */
export interface Usage {
  readonly calls: number;
  readonly lastUsedAt: number;
  readonly averageMs: number;
}

export type UsageOf = (tool: string) => Usage | undefined;
