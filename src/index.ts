/** The public face of Toolcrib. Named exports only, so that what is internal stays so. */

// Make a crib, and say what it is made of.

export { createCrib } from './crib/create-crib.ts';
export { createRuntime } from './crib/create-runtime.ts';
export type { CribOptions } from './crib/crib-options.ts';
export { openProject, type ProjectOptions } from './crib/open-project.ts';
export { type LoadConfigOptions, type LoadedConfig, loadConfig } from './trust/load-config.ts';

// Writing a tool: its definition and what it may say about itself.

export type { Effect } from './contract/effect.ts';
export type { Precondition, PreconditionReport } from './contract/precondition.ts';
export { type Backoff, RetryPolicies, type RetryPolicy } from './contract/retry.ts';
export type {
  JsonSchema,
  LazySchema,
  Schema,
  SchemaSource,
  Validation,
} from './contract/schema.ts';
export {
  type AuthRequirement,
  type Breaker,
  CATEGORIES,
  type CacheRule,
  type CallTargets,
  type Capability,
  type Composition,
  type Concurrency,
  type CostModel,
  type Dependency,
  defineTool,
  type Health,
  type NamedTool,
  type Needs,
  type PathNeed,
  type RateLimit,
  type Recovery,
  type ResourceRequirements,
  type Sanitizing,
  SOURCES,
  TIERS,
  type Tier,
  type Tool,
  type ToolCategory,
  type ToolDefinition,
  type ToolExample,
  type ToolSource,
  type Validator,
  type ValidatorFacts,
} from './contract/tool.ts';

// What the compiler makes of schemas and of lists of tools.

export type { AcceptedBy, FromJsonSchema, ParsedBy } from './contract/schema-type.ts';
export type { ToolMap, ToolMapOf, ToolTypes } from './contract/tool-types.ts';

// Flows: durable functions whose steps are governed calls.

export {
  type CribFlows,
  defineFlow,
  type FlowApproval,
  type FlowCallOptions,
  type FlowContext,
  type FlowCost,
  type FlowDefinition,
  type FlowRunInfo,
  type FlowStepOptions,
  type StartedRun,
  type StartFlowAs,
} from './contract/flow.ts';
export type {
  FlowFilter,
  FlowRun,
  FlowStatus,
  JournalStep,
} from './contract/flow-store.ts';

// Composing tools: one tool that calls others, each through the whole pipeline.

export type { PartOutcome } from './flow/compose/call-part.ts';
export type { ComposeOptions } from './flow/compose/compose-options.ts';
export {
  type ConditionalBranch,
  type ConditionalData,
  type ConditionalOptions,
  type ConditionContext,
  conditional,
} from './flow/compose/conditional.ts';
export { type CompositionOptions, createComposition } from './flow/compose/create-composition.ts';
export { type ParallelData, type ParallelOptions, parallel } from './flow/compose/parallel.ts';
export { type SequenceData, type SequenceOptions, sequence } from './flow/compose/sequence.ts';
export type { CustomAggregator, MergeConflict } from './flow/compose/steps/aggregate.ts';
export type { CompositionResult } from './flow/compose/steps/build-composition.ts';
export type { CompositionDefinition } from './flow/compose/steps/composition-shape.ts';
export type { StepResult } from './flow/compose/steps/run-steps.ts';
export type { StepOutput } from './flow/values/scope.ts';

// Jobs: work in the background, and the port to the queues that keep it.

export type {
  BackgroundServices,
  EmbeddingItem,
  Embeddings,
  GeneratedEmbedding,
  PushMessage,
  PushService,
  PushToken,
} from './contract/background-services.ts';
export type { CribDevices, DeviceInfo, NewDevice } from './contract/devices.ts';
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
} from './contract/job.ts';
export type {
  Job,
  JobBackoff,
  JobCounts,
  JobEnd,
  JobFilter,
  JobSchedule,
  JobState,
  NewJob,
  Queue,
  StoredSchedule,
} from './contract/queue.ts';

// Flows as data: YAML or objects.

export {
  defineFlowData,
  type FlowChange,
  type FlowData,
  type FlowDataStep,
  type FlowFault,
  type FlowGraph,
  type FlowKind,
  type FlowLimits,
  type FlowNodeState,
  type FlowOptimization,
  type FlowRunNodes,
  type FlowSource,
  type FlowValidation,
} from './contract/flow-data.ts';
export type { CribFlowData } from './contract/flow-data-members.ts';
export type { FlowPlan, PlanApproval, PlannedCall, PlanQuestion } from './contract/flow-plan.ts';

// Chains: calls that are made at once.

export type {
  ChainCall,
  ChainCallResult,
  ChainOptions,
  ChainResult,
  ChainValidation,
  CribChains,
  OptimizedChain,
} from './contract/chain.ts';

// Running inside a tool: what it is handed, and how it fails with a code.

export type {
  CommandResult,
  ExecOptions,
  FileAccess,
  FileInfo,
  InnerCallOptions,
  ToolContext,
  Usage,
  WriteReceipt,
} from './contract/context.ts';
export {
  ERRORS,
  type ErrorCode,
  type ErrorExtras,
  type ErrorRow,
  type ErrorType,
  type Issue,
  isErrorCode,
  type Severity,
  type ToolError,
  ToolFailure,
} from './contract/errors.ts';
export type { Memory, MemoryScope } from './contract/memory.ts';

// Calling: the crib, its catalog, and what a call answers with.

export type { Estimate } from './contract/call.ts';
export type { CallAs, CallOptions } from './contract/call-options.ts';
export type { Caller, Isolation } from './contract/caller.ts';
export type {
  Catalog,
  CatalogEntry,
  DependencyReport,
  LoadReport,
  ModelProvider,
  ModelTools,
  SearchHit,
  SearchQuery,
  TokenReport,
  ToolFilter,
  ToolVersion,
} from './contract/catalog.ts';
export type {
  Capabilities,
  Crib,
  DryRunReport,
  ProcessCall,
  ProcessedCall,
  ProcessRequest,
  ProcessResult,
  StartedCall,
} from './contract/crib.ts';
export type {
  ApprovalLinks,
  AuditHead,
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribHealth,
  CribResults,
  CribTools,
  CribUsage,
  ExecutionState,
  ExecutionStatus,
  LinkDecision,
  Permissions,
  ResultPage,
  UndonePart,
  UndoReport,
  UsageLine,
} from './contract/crib-members.ts';
export type { CribEvents, EventName, Events } from './contract/events.ts';
export type { Grant, GrantSubject, Grants, NewGrant } from './contract/grant.ts';
export type {
  LockEntry,
  LockFinding,
  LockState,
  Quarantine,
  SeenTool,
  ToolLock,
} from './contract/lock.ts';
export type {
  FailedResult,
  Labels,
  PendingApproval,
  PendingResult,
  ResultHandle,
  ResultMetadata,
  SuccessResult,
  ToolResult,
  ToolStatus,
} from './contract/result.ts';
export type {
  PromptText,
  ResourceText,
  ServerPrompt,
  ServerResource,
  ServerState,
  ServerStatus,
  Servers,
  ServerTransport,
} from './contract/servers.ts';

export type {
  AiSdkTools,
  AnthropicTools,
  LangChainTool,
  OpenAiTools,
  ToolReply,
  ToolSetOptions,
  ToolSets,
} from './contract/tool-sets.ts';

// Implementing a port: who approves, what is kept, what is allowed, where the outside world is.

export type {
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalState,
  Approver,
  Decision,
  Remember,
} from './contract/approver.ts';
export type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditKind,
  AuditLog,
  AuditRow,
  AuditStatus,
  AuditVerification,
} from './contract/audit.ts';
export type {
  CallableTool,
  ConversationMessage,
  ConverseReply,
  ConverseRequest,
  Model,
  ModelCall,
  ModelCallResult,
  ModelReply,
  ModelRequest,
} from './contract/model.ts';
export type {
  ConsideredRule,
  Explanation,
  FlowState,
  Policy,
  PolicyQuestion,
  Rights,
  RuleEffect,
  ShadowFinding,
  Verdict,
} from './contract/policy.ts';
export type { Logger, Runtime, Timer } from './contract/runtime.ts';
export type {
  Sandbox,
  SandboxConfig,
  Sandboxes,
  SandboxHost,
  SandboxOutcome,
  SandboxReadiness,
  SandboxRequest,
  SandboxTask,
  SandboxType,
} from './contract/sandbox.ts';
export type { Secrets, SecretVault } from './contract/secrets.ts';
export type { Source } from './contract/source.ts';
export type {
  Approvals,
  BudgetLine,
  BudgetScope,
  BudgetUnit,
  Counters,
  HitOutcome,
  Intents,
  Ledger,
  MemoryStore,
  OpenIntent,
  ReplayClaim,
  ReplayRequest,
  Replays,
  Reservation,
  ReserveOutcome,
  Results,
  Snapshot,
  Snapshots,
  Spending,
  Store,
  StoredResult,
  Window,
} from './contract/store.ts';
export {
  ROLES,
  type Role,
  type TokenPolicy,
  type TokenRecord,
  type Tokens,
} from './contract/tokens.ts';
