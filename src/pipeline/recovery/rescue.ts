/** Handles a final failure as the tool's recovery says: another tool, skip, or a person. */
import type { Call, CallRequest } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ApprovalService } from '../approval/approval-service.ts';
import { succeeded } from '../outcome.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { mayRepeatEffect } from './may-retry.ts';

export interface RescueDeps {
  readonly approvalService: ApprovalService;
  settingsOf(tool: Tool): ToolSettings;
  callTool(parent: CallRequest, tool: string, input: unknown): Promise<ToolResult>;
}

type Failed = Call<'ready' | 'input' | 'grant' | 'budget'>;

const note = (call: CallRequest, warning: string): void => {
  call.notes.warnings ??= [];
  call.notes.warnings.push(warning);
};

const byFallback = async (
  call: Failed,
  result: ToolResult,
  deps: RescueDeps & { readonly tool: string },
): Promise<ToolResult> => {
  const { tool } = call.ready;
  if (mayRepeatEffect(tool, call.notes)) {
    note(call, `No fallback was tried: ${tool.name} may have taken effect.`);
    return result;
  }
  const other = await deps.callTool(call, deps.tool, call.input);
  if (!other.success) {
    note(call, `The fallback ${deps.tool} failed too: ${other.error?.code ?? other.status}.`);
    return result;
  }
  note(call, `${tool.name} failed with ${result.error?.code}; ${deps.tool} answered instead.`);
  const { executionId, traceId } = call;
  return { ...other, metadata: { ...other.metadata, executionId, traceId } };
};

/** Tells whether a result is final: a cancelled or refused call must not be made by another tool instead. */
const isFinal = ({ status }: ToolResult): boolean =>
  status === 'cancelled' || status === 'denied' || status === 'pending';

export const rescue = async (
  call: Failed,
  result: ToolResult,
  deps: RescueDeps,
): Promise<ToolResult> => {
  const { recovery } = deps.settingsOf(call.ready.tool);
  if (!recovery || isFinal(result)) return result;
  switch (recovery.strategy) {
    case 'fallback':
      return byFallback(call, result, { ...deps, tool: recovery.tool });
    case 'skip':
      note(call, `${call.ready.tool.name} failed with ${result.error?.code} and was skipped.`);
      call.notes.degraded = true;
      return succeeded(call, null);
    case 'manual': {
      const reason = `It failed with ${result.error?.code}. Approve to let it be tried again.`;
      const record = await deps.approvalService.park(call, call.budget.estimate, reason);
      return 'result' in record ? record.result : deps.approvalService.pending(call, record);
    }
    case 'retry':
    case 'abort':
      return result;
  }
};
