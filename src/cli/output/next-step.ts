/** After a call that a rule stopped: the command that says more about it. */

import type { Caller } from '../../contract/caller.ts';
import type { ToolResult } from '../../contract/result.ts';
import { visibleJson } from '../../kit/text/visible-text.ts';
import { callerArguments } from '../input/caller-options.ts';
import { type Io, note } from '../io.ts';
import { shellQuote } from './shell-quote.ts';

/** More than this is not typed again; the tool alone may do. */
const LONGEST = 500;

const NAMES_RULE = /\(rule [^()]+\)$/;

const explainCommand = (tool: string, input: unknown, caller: Partial<Caller>): string => {
  const json = JSON.stringify(input) ?? '';
  const written = json.length > LONGEST ? '--input <the same input, in a file>' : shellQuote(json);
  const parts = ['toolcrib policy explain', shellQuote(tool), written, ...callerArguments(caller)];
  return visibleJson(parts.join(' '));
};

/** Says nothing where there is nothing to look up. */
export const noteNextStep = (
  io: Io,
  result: ToolResult,
  { input, caller }: { readonly input: unknown; readonly caller: Partial<Caller> },
): void => {
  const arrow = `  ${io.noteInk.cyan('→')}`;
  const { status, approval, error, metadata } = result;
  if (status === 'pending' && approval) {
    note(io, `${arrow} See exactly what waits: toolcrib approvals show ${approval.approvalId}`);
  }
  if (error?.code === 'PERMISSION_DENIED' && NAMES_RULE.test(error.message)) {
    note(io, `${arrow} Why: ${explainCommand(metadata.toolName, input, caller)}`);
  }
};
