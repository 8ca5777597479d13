/**
 * The part of the contract for writing a tool: its definition, and what it is handed while it runs. `index.ts`
 * exports it.
 */

// Its definition and what it may say about itself.

export { defineTool } from './define-tool.ts';
export type {
  CascadeEffect,
  Effect,
  FromResult,
  MemoryEffect,
  NotificationEffect,
  PlainValue,
  StateChangeEffect,
} from './effect.ts';
export type { Needs, PathNeed } from './needs.ts';
export type {
  CustomPrecondition,
  DependencyPrecondition,
  PermissionPrecondition,
  Precondition,
  PreconditionCheck,
  PreconditionReport,
  ResourcePrecondition,
  StatePrecondition,
} from './precondition.ts';
export { type Backoff, RetryPolicies, type RetryPolicy } from './retry.ts';
export type {
  JsonSchema,
  LazySchema,
  Schema,
  SchemaSource,
  Validation,
  ZodSchemaLike,
} from './schema.ts';
export {
  type AssignedFlow,
  type AuthRequirement,
  CATEGORIES,
  type CallTargets,
  type Capability,
  type Composition,
  type Dependency,
  type Health,
  type NamedTool,
  type PastResult,
  type PlannedProgram,
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
export type { CostModel, MostCost } from './tool-cost.ts';
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
export type {
  InputOf,
  KnownTool,
  OtherName,
  OutputOf,
  ToolMap,
  ToolMapOf,
  ToolTypes,
} from './tool-types.ts';

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
export type {
  Elicit,
  Elicitation,
  ElicitationAnswer,
  ElicitUrl,
  UrlElicitation,
} from './elicitation.ts';
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
export type { Sample, SamplingRequest } from './sampling.ts';
