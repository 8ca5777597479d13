/** What the steps of a run are handed: every call and question goes by the caller of the run. */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { FlowRun, Flows } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { ConfirmInput } from '../pipeline/approval/confirm-tool.ts';
import type { FlowRegistry } from './flow-registry.ts';
import { parseInput } from './run-record.ts';
import type { StepDeps } from './step-ends.ts';

export interface RunDeps {
  readonly registry: FlowRegistry;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly tools: Pick<Catalog, 'get'>;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  confirm(question: ConfirmInput, as: CallAs): Promise<ToolResult>;
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
}

/** One turn at the run: its journal, and what ends its calls. */
export interface TurnDeps extends Pick<StepDeps, 'startChild' | 'cancelCalls'> {
  readonly flows: Flows;
  readonly signal: AbortSignal;
}

/** Who a run calls as, and what it may spend; the same holds for its children. */
export const limitsOf = ({ caller, dailyUsd }: FlowRun): Pick<FlowRun, 'caller' | 'dailyUsd'> =>
  dailyUsd === undefined ? { caller } : { caller, dailyUsd };

/** Runs that start each other without end would fill the store. */
const MAX_RUN_DEPTH = 8;

const assertDepth = async (run: FlowRun, flows: Flows): Promise<void> => {
  let depth = 1;
  for (let { parent } = run; parent; depth += 1) {
    if (depth >= MAX_RUN_DEPTH) {
      throw new ToolFailure(
        'CALL_CYCLE',
        `Flows start each other more than ${MAX_RUN_DEPTH} deep.`,
      );
    }
    parent = (await flows.get(parent.runId))?.parent;
  }
};

export const stepDepsOf = (
  run: FlowRun,
  deps: RunDeps,
  { flows, signal, startChild, cancelCalls }: TurnDeps,
): StepDeps => {
  const { caller, ...limits } = limitsOf(run);
  const as = { ...caller, ...limits, flowId: run.id, signal };
  return {
    ...{ run, flows, startChild, cancelCalls, tools: deps.tools, runtime: deps.runtime },
    call: ({ tool, input, ...options }) => deps.execute(tool, input, { ...as, ...options }),
    confirm: ({ idempotencyKey, approvalId, ...question }) => {
      const options = { idempotencyKey, ...(approvalId !== undefined && { approvalId }) };
      const asked = { flow: run.flow, runId: run.id, ...question };
      return deps.confirm(asked, { ...as, ...options } as CallAs);
    },
    approval: (approvalId) => deps.approval(approvalId),
    checkChild: async (flow, input) => {
      await assertDepth(run, flows);
      deps.registry.register(flow);
      return parseInput(flow, input);
    },
  };
};
