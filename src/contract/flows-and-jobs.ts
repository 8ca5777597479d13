/**
 * The part of the contract about work of several steps: flows, chains, and jobs in the background. `index.ts`
 * exports it.
 */

// Flows: durable functions whose steps are governed calls.

export { defineFlow } from './define-flow.ts';
export type {
  CribFlows,
  FlowApproval,
  FlowCallOptions,
  FlowChildOptions,
  FlowContext,
  FlowCost,
  FlowDefinition,
  FlowInfo,
  FlowRunInfo,
  FlowStepOptions,
  ListedFlowRun,
  ResumeOptions,
  StartedRun,
  StartFlowAs,
  StepSettlement,
} from './flow.ts';
export type {
  ChangeOptions,
  ClaimRequest,
  CreateOptions,
  FlowEvent,
  FlowFilter,
  FlowParent,
  FlowRun,
  FlowStatus,
  Flows,
  JournalStep,
  ReleaseOptions,
  RunChange,
  RunClaim,
  RunPlan,
  StepKind,
} from './flow-store.ts';

// Flows as data, their plans, and chains.

export type {
  ChainCall,
  ChainCallOptions,
  ChainCallResult,
  ChainFlowEntry,
  ChainOptions,
  ChainResources,
  ChainResult,
  ChainSchedule,
  ChainScheduleOptions,
  ChainValidation,
  CribChains,
  OptimizedChain,
  ResourceShare,
  ResourceUse,
  ScheduleRound,
} from './chain.ts';
export {
  defineFlowData,
  type FlowChange,
  type FlowData,
  type FlowDataStep,
  type FlowFault,
  type FlowForEach,
  type FlowGraph,
  type FlowGraphEdge,
  type FlowGraphNode,
  type FlowJoin,
  type FlowKind,
  type FlowLastResort,
  type FlowLimits,
  type FlowNodeState,
  type FlowNodeStatus,
  type FlowOnError,
  type FlowOptimization,
  type FlowRetry,
  type FlowRunNodes,
  type FlowSource,
  type FlowStepType,
  type FlowToolCall,
  type FlowValidation,
  type FlowValue,
} from './flow-data.ts';
export type { CribFlowData } from './flow-data-members.ts';
export type {
  FlowPlan,
  FlowPlanStep,
  PlanApproval,
  PlannedCall,
  PlanQuestion,
} from './flow-plan.ts';

// Jobs: work in the background, and the port to the queues that keep it.

export type {
  BackgroundServices,
  EmbeddingItem,
  Embeddings,
  GeneratedEmbedding,
  PushMessage,
  PushService,
  PushToken,
} from './background-services.ts';
export type { CribDevices, DeviceInfo, NewDevice } from './devices.ts';
export type {
  CribJobs,
  EnqueueOptions,
  JobAs,
  JobContext,
  JobHandler,
  JobTypeOptions,
  JobWorkers,
  ScheduleOptions,
  WorkJobsOptions,
} from './job.ts';
export type {
  AdoptedJob,
  Cadence,
  Job,
  JobBackoff,
  JobCounts,
  JobEnd,
  JobFilter,
  JobRun,
  JobSchedule,
  JobState,
  NewJob,
  Queue,
  QueueAbility,
  QueueWorker,
  StoredSchedule,
  WorkOptions,
} from './queue.ts';
