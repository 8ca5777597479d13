/** The public face of Toolcrib. Named exports only, so that what is internal stays so. */

// Say who calls, and who approves.
export type { ApprovalRequest, Approver, Decision } from './contract/approver.ts';
export type { CallAs } from './contract/call-options.ts';
export type { Caller } from './contract/caller.ts';
export type { ToolContext } from './contract/context.ts';
// Read what comes back.
export type { Crib, DryRunReport } from './contract/crib.ts';
export type { ExecutionStatus, UndoReport } from './contract/crib-members.ts';
export { ERRORS, type ErrorCode, type ToolError, ToolFailure } from './contract/errors.ts';
export type { ToolResult, ToolStatus } from './contract/result.ts';
export { RetryPolicies, type RetryPolicy } from './contract/retry.ts';
// Define tools.
export { defineTool, type Tool, type ToolDefinition } from './contract/tool.ts';
export type { ToolSetOptions } from './contract/tool-sets.ts';
// Make a crib, and say what it is made of.
export { type CribOptions, createCrib } from './crib/create-crib.ts';
export { createRuntime } from './crib/create-runtime.ts';
