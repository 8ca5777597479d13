/**
 * The part of the contract for implementing a port: who approves, what is kept, what is allowed, where foreign
 * code runs. `index.ts` exports it.
 */

// Decisions: people, rules and the model.

export type {
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalState,
  Approver,
  Decision,
  EditedInput,
  Remember,
} from './approver.ts';
export type {
  CallableTool,
  ConversationMessage,
  ConverseReply,
  ConverseRequest,
  EmbedReply,
  EmbedRequest,
  Model,
  ModelCall,
  ModelCallResult,
  ModelPrice,
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

// What is kept.

export type {
  AuditCheckpoint,
  AuditEntry,
  AuditFilter,
  AuditKind,
  AuditLog,
  AuditRow,
  AuditStatus,
  AuditVerification,
  Durability,
  IntentClaim,
  WrittenListener,
} from './audit.ts';
export type { PathState, PathUse } from './path-state.ts';
export type { Secrets, SecretVault } from './secrets.ts';
export type {
  Approvals,
  BudgetCount,
  BudgetLine,
  BudgetScope,
  BudgetUnit,
  Counters,
  Expiry,
  HitOutcome,
  Intents,
  Ledger,
  MemoryStore,
  OpenIntent,
  Parking,
  ParkOutcome,
  ReplayClaim,
  ReplayRequest,
  Replays,
  Reservation,
  ReserveOutcome,
  Results,
  SealKey,
  SettledReplay,
  Snapshot,
  Snapshots,
  Spending,
  Store,
  StoredResult,
  StoreMark,
  Window,
} from './store.ts';
export { ROLES, type Role, type TokenPolicy, type TokenRecord, type Tokens } from './tokens.ts';
export type {
  VectorItem,
  VectorKey,
  VectorKind,
  VectorMatch,
  VectorQuery,
  Vectors,
} from './vectors.ts';

// The world outside: the clock, sandboxes, and where tools come from.

export type { Logger, Runtime, Timer } from './runtime.ts';
export type {
  RepositoryView,
  ResourceLimits,
  Sandbox,
  SandboxConfig,
  Sandboxes,
  SandboxHost,
  SandboxOutcome,
  SandboxReadiness,
  SandboxRequest,
  SandboxTask,
  SandboxType,
  SandboxUsage,
} from './sandbox.ts';
export type { Source } from './source.ts';
