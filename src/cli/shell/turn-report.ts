/** What became of one message of the person: the words, the calls, and what they cost together. */
import type { ToolResult } from '../../contract/result.ts';

export interface TurnReport {
  readonly text: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly failed: boolean;
    readonly executionId: string | undefined;
  }[];
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** False when the configuration has no prices: the model's part of the cost is then unknown. */
  readonly priced: boolean;
  readonly truncated: boolean;
  readonly stopped?: 'steps' | 'cost';
  /** The step that failed. */
  readonly failure?: ToolResult;
}
