/**
 * Remembers the ids of approvals that calls of a set wait for, so that the model only has to make
 * the very same call again. The pipeline checks the approval and uses it up.
 */
import type { ToolResult } from '../contract/result.ts';
import { BoundedMap } from '../kit/data/bounded-map.ts';
import { shortDigestOf } from '../kit/data/canonical-json.ts';

export interface WaitingCalls {
  /** Runs the call with the approval that it waited for, if any; as a new call where that has expired. */
  execute(call: NamedCall, run: Run): Promise<ToolResult>;
  /** Tells whether an approval for this very call is remembered, given or not. */
  has(call: NamedCall): boolean;
  /** Remembers the approval that this very call is to be made with. */
  remember(call: NamedCall, approvalId: string): void;
}

export interface NamedCall {
  readonly tool: string;
  readonly input: unknown;
}

type Run = (approvalId: string | undefined) => Promise<ToolResult>;

/** More than a person can review. A call beyond it is asked about again. */
const MAX_WAITING = 500;

/** Returns the digest of a tool and its input; nothing for input that is no JSON, which the pipeline refuses. */
export const callDigest = ({ tool, input }: NamedCall): string | undefined => {
  try {
    return shortDigestOf([tool, input]);
  } catch {
    return undefined;
  }
};

export const waitingCalls = (): WaitingCalls => {
  const approvals = new BoundedMap<string, string>(MAX_WAITING);
  const remember = (call: NamedCall, approvalId: string): void => {
    const digest = callDigest(call);
    if (digest !== undefined) approvals.set(digest, approvalId);
  };
  const take = (call: NamedCall): string | undefined => {
    const digest = approvals.size > 0 ? callDigest(call) : undefined;
    if (digest === undefined) return undefined;
    const approvalId = approvals.get(digest);
    approvals.delete(digest);
    return approvalId;
  };
  return {
    async execute(call, run) {
      const approvalId = take(call);
      const result = await run(approvalId);
      const isOver = approvalId !== undefined && result.error?.code === 'APPROVAL_EXPIRED';
      const last = isOver ? await run(undefined) : result;
      if (last.approval) remember(call, last.approval.approvalId);
      return last;
    },
    has(call) {
      const digest = approvals.size > 0 ? callDigest(call) : undefined;
      return digest !== undefined && approvals.has(digest);
    },
    remember,
  };
};
