/**
 * The published entry `toolcrib/contract`: what someone needs who writes a tool, calls the crib or
 * implements a port, without the runtime behind it. Inside src, import the file instead.
 */

// Writing a tool: its definition and what it may say about itself.

export type { Effect } from './effect.ts';
export type { Precondition, PreconditionReport } from './precondition.ts';
export { type Backoff, RetryPolicies, type RetryPolicy } from './retry.ts';
export type { JsonSchema, LazySchema, Schema, SchemaSource, Validation } from './schema.ts';
export {
  type AuthRequirement,
  CATEGORIES,
  type CallTargets,
  type Capability,
  type Composition,
  type Dependency,
  defineTool,
  type Health,
  type NamedTool,
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
} from './tool.ts';
export type { CostModel } from './tool-cost.ts';
export type {
  Breaker,
  CacheRule,
  Concurrency,
  RateLimit,
  Recovery,
  ResourceRequirements,
} from './tool-limits.ts';

// What the compiler makes of schemas and of lists of tools.

export type { AcceptedBy, FromJsonSchema, ParsedBy } from './schema-type.ts';
export type { ToolMap, ToolMapOf, ToolTypes } from './tool-types.ts';

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
  type ListedFlowRun,
  type StartedRun,
  type StartFlowAs,
} from './flow.ts';
export type {
  FlowFilter,
  FlowRun,
  FlowStatus,
  JournalStep,
} from './flow-store.ts';

// Vectors of texts, which stores keep and search.
export type {
  VectorItem,
  VectorKey,
  VectorKind,
  VectorMatch,
  VectorQuery,
  Vectors,
} from './vectors.ts';

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
} from './queue.ts';

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
} from './context.ts';
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
} from './errors.ts';
export type { Memory, MemoryScope } from './memory.ts';

// Calling: the crib, its catalog, and what a call answers with.

export type { Estimate } from './call.ts';
export type { CallAs, CallOptions } from './call-options.ts';
export type { Caller, Isolation } from './caller.ts';
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
} from './catalog.ts';
export type {
  Capabilities,
  Crib,
  DryRunAs,
  DryRunReport,
  StartedCall,
} from './crib.ts';
export type {
  ApprovalLinks,
  AuditHead,
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribResults,
  CribTools,
  CribUsage,
  ExecutionState,
  ExecutionStatus,
  LinkDecision,
  Permissions,
  ResultPage,
  RunningCall,
  UndonePart,
  UndoReport,
  UsageLine,
} from './crib-members.ts';
export type { CribEvents, EventName, Events } from './events.ts';
export type { Grant, GrantSubject, Grants, NewGrant } from './grant.ts';
export type {
  LockEntry,
  LockFinding,
  LockState,
  Quarantine,
  SeenTool,
  ToolLock,
} from './lock.ts';
export type { Needs, PathNeed } from './needs.ts';
export * from './observation.ts';
export type {
  CribPackages,
  InstallationResult,
  InstallationReview,
  InstalledPackage,
  InstallOptions,
  PackagedTool,
  PackageSource,
  PackageTarget,
  PackOptions,
  PackResult,
  UpdateInfo,
  UpdateOptions,
  UpdateResult,
} from './packages.ts';
export type {
  ProcessCall,
  ProcessedCall,
  ProcessRequest,
  ProcessResult,
} from './process-request.ts';
export type {
  CallReplay,
  ReplayAs,
  ReplayFilter,
  ReplayLine,
  ReplayOptions,
} from './replay.ts';
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
} from './result.ts';
export type {
  NewServerConfig,
  PromptText,
  ResourceText,
  ServerMethod,
  ServerNotification,
  ServerPrompt,
  ServerRequest,
  ServerResource,
  ServerState,
  ServerStatus,
  Servers,
  ServerTransport,
} from './servers.ts';
export {
  type CribSources,
  type ManagedSource,
  type RefusedTool,
  SOURCE_KINDS,
  type SourceChange,
  type SourceKind,
  type SourceRefresh,
  type SourceState,
  type SourceStatus,
} from './sources.ts';
export type {
  AiSdkTools,
  AnthropicTools,
  LangChainTool,
  OpenAiTools,
  ToolReply,
  ToolSetOptions,
  ToolSets,
} from './tool-sets.ts';
export type { ReportFile, ReportFormat, UsageReport, UsageReportLine } from './usage-report.ts';

// Implementing a port: who approves, what is kept, what is allowed, where the outside world is.

export type {
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalState,
  Approver,
  Decision,
  Remember,
} from './approver.ts';
export type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditKind,
  AuditLog,
  AuditRow,
  AuditStatus,
  AuditVerification,
} from './audit.ts';
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
} from './model.ts';
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
} from './policy.ts';
export type { Logger, Runtime, Timer } from './runtime.ts';
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
} from './sandbox.ts';
export type { Secrets, SecretVault } from './secrets.ts';
export type { Source } from './source.ts';
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
} from './store.ts';
export { ROLES, type Role, type TokenPolicy, type TokenRecord, type Tokens } from './tokens.ts';

// Flows as data, their plans, and chains.

export type {
  ChainCall,
  ChainCallResult,
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
  type FlowGraph,
  type FlowKind,
  type FlowLimits,
  type FlowNodeState,
  type FlowOptimization,
  type FlowRunNodes,
  type FlowSource,
  type FlowValidation,
} from './flow-data.ts';
export type { CribFlowData } from './flow-data-members.ts';
export type { FlowPlan, PlanApproval, PlannedCall, PlanQuestion } from './flow-plan.ts';
