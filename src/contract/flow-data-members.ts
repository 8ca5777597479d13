/** The members of `crib.flows` for flows as data: reading, checking, planning and drawing them. */
import type { CallAs, CallerAs, CallOptions } from './call-options.ts';
import type {
  FlowData,
  FlowFault,
  FlowGraph,
  FlowOptimization,
  FlowRunNodes,
  FlowSource,
  FlowValidation,
} from './flow-data.ts';
import type { FlowPlan, PlanApproval } from './flow-plan.ts';

/** The members of `crib.flows` for flows as data. */
export interface CribFlowData {
  /**
   * Checks a flow and registers it in this process. Rejects with CONFIG_INVALID, whose issues name every
   * fault, and CONFLICT for other data under a version that is taken.
   *
   * @example
   * await crib.flows.registerData({
   *   name: 'hello',
   *   version: '1.0.0',
   *   steps: [{ id: 'say', call: 'greet', input: { name: { from: 'input.name' } } }],
   * });
   */
  registerData(source: FlowSource): Promise<FlowData>;
  /**
   * Lists the flows as data that this process knows, those of the project's files included.
   *
   * @example
   * for (const { name, version } of await crib.flows.data()) console.log(name, version);
   */
  data(): Promise<readonly FlowData[]>;
  /**
   * Lists what is wrong with the project's flow files. Those with errors were left out.
   *
   * @example
   * for (const { file, line, message } of await crib.flows.fileFaults()) console.log(file, line, message);
   */
  fileFaults(): Promise<readonly FlowFault[]>;
  /**
   * Finds every fault of a flow: of its text, its graph, its tools and its expressions.
   *
   * @example
   * const { ok, faults } = await crib.flows.validate('name: x');
   * for (const { line, message } of faults) console.log(line, message);
   */
  validate(source: FlowSource): Promise<FlowValidation>;
  /**
   * Says what a run would do, cost and ask, and runs nothing.
   *
   * @example
   * const plan = await crib.flows.plan('hello', { name: 'Ada' });
   * console.log(plan.levels, plan.cost.maxUsd, plan.approvals);
   */
  plan(source: FlowSource, input: unknown, as?: CallAs): Promise<FlowPlan>;
  /**
   * Puts the plan of a registered flow to a person as one question among the approvals. Once it is
   * approved, `start(flow, input, { planApproval })` makes the covered calls without asking again.
   * Rejects with VALIDATION_ERROR when nothing in the plan can be approved before.
   *
   * @example
   * const { approvalId } = await crib.flows.requestApproval('hello', { name: 'Ada' });
   * await crib.approvals.decide(approvalId, { approve: true, by: 'bo' });
   * await crib.flows.start('hello', { name: 'Ada' }, { planApproval: approvalId });
   */
  requestApproval(
    flow: string,
    input: unknown,
    as?: CallerAs & Pick<CallOptions, 'version'>,
  ): Promise<PlanApproval>;
  /**
   * Merges duplicate calls that only read and runs independent calls together. Effects keep their order.
   *
   * @example
   * const { changes, saves } = await crib.flows.optimize('hello');
   * console.log(saves.calls, changes);
   */
  optimize(source: FlowSource): Promise<FlowOptimization>;
  /**
   * Gives nodes and edges, for drawing.
   *
   * @example
   * const { nodes, edges } = await crib.flows.graph('hello');
   */
  graph(source: FlowSource): Promise<FlowGraph>;
  /**
   * Gives the state of each step of a run; `undefined` for a run that is unknown or of a flow as code.
   *
   * @example
   * const state = await crib.flows.nodes('run-1');
   * for (const { id, status, because } of state?.nodes ?? []) console.log(id, status, because);
   */
  nodes(runId: string, as?: CallerAs): Promise<FlowRunNodes | undefined>;
}
