/** Calls one part of a composed tool through the whole pipeline. */
import type { InnerCallOptions, ToolContext } from '../../contract/context.ts';
import { type ToolError, toolError } from '../../contract/errors.ts';
import type { ToolResult, ToolStatus } from '../../contract/result.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { onlyReads } from '../../registry/only-reads.ts';
import { hasChangedNothing } from '../../registry/unchanged-calls.ts';

/** What became of one part, as the data of a composed tool lists it. */
export interface PartOutcome {
  readonly tool: string;
  readonly success: boolean;
  /** `skipped`: it was not called. */
  readonly status: ToolStatus | 'skipped';
  /** Under this id the part is on record, and can be undone by itself. */
  readonly executionId?: string;
  readonly data?: unknown;
  readonly error?: ToolError;
  /** The question that it waits for. */
  readonly approvalId?: string;
  readonly durationMs: number;
  /** US dollars. */
  readonly cost: number;
}

const outcomeOf = (tool: string, result: ToolResult): PartOutcome => ({
  tool,
  success: result.success,
  status: result.status,
  executionId: result.metadata.executionId,
  ...(result.success ? { data: result.data } : { error: result.error }),
  ...(result.approval && { approvalId: result.approval.approvalId }),
  durationMs: result.metadata.duration,
  cost: result.metadata.cost,
});

const NOT_CALLED = { success: false, durationMs: 0, cost: 0 } as const;

export const skipped = (tool: string): PartOutcome => ({ tool, status: 'skipped', ...NOT_CALLED });

/** The outcome of a part that could not be called. */
export const notCalled = (tool: string, error: ToolError): PartOutcome => ({
  tool,
  status: 'failure',
  error,
  ...NOT_CALLED,
});

export interface PartCall {
  readonly tool: Tool;
  readonly input: unknown;
  /** Names the part among those of the whole. */
  readonly key: string;
  readonly options?: InnerCallOptions;
}

/** Gives a part that may be tried again although it changes something a key, so that it is known again by what it calls. */
const optionsOf = ({ tool, key, options }: PartCall): InnerCallOptions | undefined =>
  tool.idempotent && !onlyReads(tool) ? { ...options, callKey: key } : options;

/** Calls the part. A call that throws is a failed part like any other. */
export const callPart = async (
  part: PartCall,
  { call }: Pick<ToolContext, 'call'>,
): Promise<PartOutcome> => {
  const { name: tool } = part.tool;
  try {
    return outcomeOf(tool, await call(tool, part.input, optionsOf(part)));
  } catch (thrown) {
    return notCalled(tool, toolError('EXECUTION_FAILED', reasonOf(thrown)));
  }
};

/**
 * Says whether a failure ends the whole even where it goes on after failures: a person who said no,
 * or who has not answered yet, is not asked about the parts that follow.
 */
export const endsTheWhole = ({ status, error }: PartOutcome): boolean =>
  status === 'pending' || status === 'cancelled' || error?.code === 'USER_CANCELLED';

/** Says whether a failed part can be followed by another try or another tool without a second effect. */
export const changedNothing = (tool: Tool, { error }: PartOutcome): boolean =>
  tool.idempotent === true ||
  onlyReads(tool) ||
  (error !== undefined && hasChangedNothing(tool, error));
