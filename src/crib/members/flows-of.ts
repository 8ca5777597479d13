/** `crib.flows`: the flows of this process and the runs of the store. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { ToolResult } from '../../contract/result.ts';
import { FlowRegistry } from '../../flow/flow-registry.ts';
import type { FlowService } from '../../flow/flow-service.ts';
import type { MemberDeps } from './member-deps.ts';

export interface FlowMemberDeps extends MemberDeps {
  readonly tools: Catalog;
  readonly events: Events;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
}

/** Opens the service with the first flow; it continues runs that other processes left. */
const openService = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<FlowService> => {
  const { FlowService } = await import('../../flow/flow-service.ts');
  const { runtime, events, tools, nextId, execute } = deps;
  const opened = async () => (await deps.open()).store;
  const seals = async () => (await deps.open()).engine.shared.seals;
  return new FlowService({
    ...{ registry, runtime, events, tools, nextId, execute },
    flows: async () => (await opened()).flows,
    undo: async (executionId, as) => (await deps.open()).engine.undo(executionId, as),
    confirm: async (question, as) => (await deps.open()).engine.confirm(question, as),
    approval: async (id) => (await opened()).approvals.get(id),
    seal: async (text) => (await seals()).seal(text),
    isOurs: async (text, seal) => (await seals()).isOurs(text, seal),
  });
};

export interface OpenedFlows {
  readonly members: CribFlows;
  /** Stops continuing runs; they stay on record. */
  close(): Promise<void>;
}

export const flowsOf = (deps: FlowMemberDeps): OpenedFlows => {
  const registry = new FlowRegistry();
  let opened: Promise<FlowService> | undefined;
  const service = (): Promise<FlowService> => {
    opened ??= openService(deps, registry);
    return opened;
  };
  const stored = async () => (await deps.open()).store.flows;
  return {
    members: {
      register: (flow) => {
        registry.register(flow);
        void service().then((each) => each.continueDue());
      },
      start: async (flow, input, as) => (await service()).start(flow, input, as),
      get: async (runId) => (await stored()).get(runId),
      list: async (filter) => (await stored()).list(filter),
      steps: async (runId) => (await stored()).steps(runId),
      send: async (runId, event, payload = null) => (await service()).send(runId, event, payload),
      cancel: async (runId) => (await service()).cancel(runId),
      resume: async (runId, options) => (await service()).resume(runId, options),
    },
    close: async () => (await opened)?.close(),
  };
};
