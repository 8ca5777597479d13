/** Makes failures of frequent codes, each with what to do next. */
import { ToolFailure } from '../../contract/errors.ts';

/** Makes the failure of a setting that cannot be used. */
export const invalidSetting = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', message, { suggestions: [suggestion] });

/** Makes the failure of a request that does not fit what is there by now. */
export const conflict = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('CONFLICT', message, { suggestions: [suggestion] });

/** Makes the failure of a sandbox that cannot be given, or that broke. */
export const sandboxFailure = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', message, { suggestions: [suggestion] });
