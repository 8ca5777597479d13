/** Keeps callers with a list of tools from flows that it does not name. Each refusal is on record. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { isListed } from '../../../governance/policy/rights.ts';
import { flowToolName } from '../../../kit/model/flow-name.ts';
import { defineInternalTool, FLOW_TOOL } from '../../../pipeline/internal-tool.ts';
import { callerOf } from '../../../pipeline/new-call.ts';
import type { MemberDeps } from '../member-deps.ts';

/** What a caller wants of a flow. */
export interface FlowUse {
  readonly flow: string;
  readonly action: 'start' | 'plan' | 'request_approval';
}

export interface ListedFlowDeps extends Pick<MemberDeps, 'open'> {
  readonly tools: Pick<Catalog, 'has'>;
}

/** Puts the refusal on record, as a call that the caller's list does not name. */
const recordRefusal = async (
  use: FlowUse,
  { name, as }: { readonly name: string; readonly as: CallAs },
  { open }: ListedFlowDeps,
): Promise<void> => {
  const tool = defineInternalTool<FlowUse, never>(
    {
      name: FLOW_TOOL,
      description: 'Starts or plans a flow.',
      tier: 'execute',
      permissions: [`tool:${name}`],
      run: () => {
        throw new ToolFailure('PERMISSION_DENIED');
      },
    },
    {
      input: {
        validate: () => ({ ok: true, value: use }),
        json: { type: 'object', properties: { flow: { type: 'string' } } },
      },
      labels: { trust: 'trusted', sensitivity: 'public' },
      listedAs: name,
    },
  );
  const { engine } = await open();
  await engine.startInternal(tool, use, callerOf(as));
};

/**
 * Rejects with PERMISSION_DENIED for a caller with a list of tools that does not name the flow. The steps of a
 * flow are judged by themselves, but its code is not.
 */
export const assertListedFlow = async (
  use: FlowUse,
  as: CallAs | undefined,
  deps: ListedFlowDeps,
): Promise<void> => {
  if (as?.tools === undefined) return;
  const name = flowToolName(use.flow, (tool) => deps.tools.has(tool));
  if (isListed(callerOf(as), name)) return;
  await recordRefusal(use, { name, as }, deps);
  throw new ToolFailure(
    'PERMISSION_DENIED',
    `The caller may not use ${name}: it is not on its list.`,
    { suggestions: ['Name the flow, and the tools of its steps, in the list of the token.'] },
  );
};
