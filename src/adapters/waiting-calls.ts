/**
 * Remembers which calls of a set wait for a person, so that the model only has to make the very same
 * call again. The approval itself is checked and spent in the pipeline; this is no more than its name.
 */
import type { ToolResult } from '../contract/result.ts';
import { BoundedMap } from '../kit/data/bounded-map.ts';
import { shortDigestOf } from '../kit/data/canonical-json.ts';

export interface WaitingCalls {
  /** With the approval this call waited for, if it did; that one being over, it is a new call. */
  execute(call: Named, run: Run): Promise<ToolResult>;
}

interface Named {
  readonly tool: string;
  readonly input: unknown;
}

type Run = (approvalId: string | undefined) => Promise<ToolResult>;

/** More than a person can look at; the oldest is asked about anew. */
const MOST = 500;

/** Nothing for an input that is no data or too deep: the pipeline refuses it, and nobody is asked. */
const digestOf = ({ tool, input }: Named): string | undefined => {
  try {
    return shortDigestOf([tool, input]);
  } catch {
    return undefined;
  }
};

export const waitingCalls = (): WaitingCalls => {
  const approvals = new BoundedMap<string, string>(MOST);
  const note = (call: Named, { approval }: ToolResult): void => {
    const digest = approval && digestOf(call);
    if (!approval || digest === undefined) return;
    approvals.set(digest, approval.approvalId);
  };
  const take = (call: Named): string | undefined => {
    const digest = approvals.size > 0 ? digestOf(call) : undefined;
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
      note(call, last);
      return last;
    },
  };
};
