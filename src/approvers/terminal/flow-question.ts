/** What a flow asks a person, read from the request that carries it. */
import type { ApprovalRequest } from '../../contract/approver.ts';
import { visibleItem } from '../../kit/text/visible-text.ts';

/** The tool that puts the questions of flows; no other tool can have its name. */
const CONFIRM_TOOL = 'toolcrib:confirm';

export interface FlowQuestion {
  /** The question, the flow, what its run was given, and the run, each with its label. */
  readonly rows: readonly { readonly label: string; readonly text: string }[];
  /** What the flow says beside it. */
  readonly details: unknown;
}

const ROWS = [
  ['question', 'question'],
  ['flow', 'flow'],
  ['given', 'input'],
  ['run', 'runId'],
] as const;

/** Reads the question of a flow; nothing for any other request. */
export const flowQuestion = ({ tool, input }: ApprovalRequest): FlowQuestion | undefined => {
  if (tool !== CONFIRM_TOOL || typeof input !== 'object' || input === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...input };
  const rows = ROWS.flatMap(([label, name]) => {
    const text = fields[name];
    return typeof text === 'string' ? [{ label, text: visibleItem(text) }] : [];
  });
  return { rows, details: fields.details };
};
