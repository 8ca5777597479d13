/**
 * The part of the contract for calling tools: the crib, its members, and what a call answers with. `index.ts`
 * exports it.
 */

// The crib, its catalog, and one call.

export type { Estimate } from './call.ts';
export type {
  CallAs,
  CallerAs,
  CallOptions,
  DurableWorkHandle,
  OuterFlow,
  PlanConsent,
  RunRecordsHandle,
  WriteRecords,
} from './call-options.ts';
export type { Caller, CallerNames, Isolation } from './caller.ts';
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
export type { Capabilities, Crib, DryRunAs, DryRunReport, StartedCall } from './crib.ts';
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
export type {
  AlertChange,
  CribEvents,
  EventName,
  Events,
  MeasuredCall,
  StageTrace,
} from './events.ts';
export type {
  OrderedCall,
  ProcessCall,
  ProcessedCall,
  ProcessRequest,
  ProcessResult,
} from './process-request.ts';
export type {
  CallReplay,
  ReplayAs,
  ReplayAspect,
  ReplayedBefore,
  ReplayedNow,
  ReplayFilter,
  ReplayLine,
  ReplayOptions,
  ReplayOutcome,
  ReplayVerdict,
} from './replay.ts';
export type {
  FailedResult,
  Labels,
  PendingApproval,
  PendingResult,
  ResultHandle,
  ResultMetadata,
  Sensitivity,
  SuccessResult,
  ToolResult,
  ToolStatus,
  Trust,
} from './result.ts';
export type {
  AgentsContent,
  AiSdkMessage,
  AiSdkOptions,
  AiSdkOutput,
  AiSdkTool,
  AiSdkTools,
  AnthropicContent,
  AnthropicRunnableTool,
  AnthropicTool,
  AnthropicTools,
  CallInProgress,
  CallProgress,
  ChatCall,
  ChatTool,
  ChatTurn,
  GeminiCall,
  GeminiDeclaration,
  GeminiResponsePart,
  GeminiTools,
  GeminiTurn,
  LangChainTool,
  MastraContext,
  MastraTool,
  OpenAiAgentsTool,
  OpenAiTools,
  ResponsesCall,
  ResponsesTool,
  ResponsesTurn,
  RunOptions,
  ToolReply,
  ToolSetOptions,
  ToolSets,
} from './tool-sets.ts';

// What is administered beside the calls.

export type { Grant, GrantSubject, Grants, NewGrant } from './grant.ts';
export type { LockEntry, LockFinding, LockState, Quarantine, SeenTool, ToolLock } from './lock.ts';
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
  ReviewedTool,
  UpdateInfo,
  UpdateOptions,
  UpdateResult,
} from './packages.ts';
export type {
  CompletionAsked,
  NewServerConfig,
  PromptText,
  ReadAs,
  ResourceAnnotations,
  ResourceText,
  ServerList,
  ServerMethod,
  ServerNotification,
  ServerPrompt,
  ServerRequest,
  ServerResource,
  ServerState,
  ServerStatus,
  Servers,
  ServerTemplate,
  ServerTransport,
  StartServers,
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
export type { ReportFile, ReportFormat, UsageReport, UsageReportLine } from './usage-report.ts';
