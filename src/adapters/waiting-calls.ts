/**
 * Remembers which calls of a set wait for a person, so that the model only has to make the very same
 * call again. The approval itself is checked and spent in the pipeline; this is no more than its name.
 */
import type { ToolResult } from '../contract/result.ts';
import { shortDigestOf } from '../kit/data/canonical-json.ts';

export interface WaitingCalls {
  /** With the approval this call waited for, if it did; that one being over, it is a new call. */
  execute(call: NamedCall, run: Run): Promise<ToolResult>;
  /** True while an approval for this very call is remembered, given or not. */
  has(call: NamedCall): boolean;
  /** Remembers the approval that this very call is to be made with. */
  remember(call: NamedCall, approvalId: string): void;
}

export interface NamedCall {
  readonly tool: string;
  readonly input: unknown;
}

type Run = (approvalId: string | undefined) => Promise<ToolResult>;

/** More than a person can look at; the oldest is asked about anew. */
const MOST = 500;

/** Returns the digest of a tool and its canonical input. Nothing for an input that is no data or too deep: the pipeline refuses it, and nobody is asked. */
export const callDigest = ({ tool, input }: NamedCall): string | undefined => {
  try {
    return shortDigestOf([tool, input]);
  } catch {
    return undefined;
  }
};

export const waitingCalls = (): WaitingCalls => {
  const approvals = new Map<string, string>();
  const remember = (call: NamedCall, approvalId: string): void => {
    const digest = callDigest(call);
    if (digest === undefined) return;
    approvals.set(digest, approvalId);
    const [oldest] = approvals.keys();
    if (approvals.size > MOST && oldest !== undefined) approvals.delete(oldest);
  };
  const take = (call: NamedCall): string | undefined => {
    const digest = approvals.size > 0 ? callDigest(call) : undefined;
    const known = digest === undefined ? undefined : approvals.get(digest);
    if (digest !== undefined) approvals.delete(digest);
    return known;
  };
  return {
    async execute(call, run) {
      const known = take(call);
      const result = await run(known);
      const isOver = known !== undefined && result.error?.code === 'APPROVAL_EXPIRED';
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
