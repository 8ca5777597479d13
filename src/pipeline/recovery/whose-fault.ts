/**
 * Decides whose fault a failure is. A breaker blocks a tool for everyone, so only faults of the tool or
 * its server count for all; what a caller can cause by its input counts for that caller.
 */
import type { Call } from '../../contract/call.ts';
import type { ErrorCode, ToolError } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';

export type Fault = 'tool' | 'caller' | 'unknown';

/** The tool broke its own output schema. */
const OF_THE_TOOL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['OUTPUT_INVALID']);

/** Faults of the remote end, if it is always the same one; otherwise the caller may have chosen it. */
const OF_THE_REMOTE_END: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NETWORK',
  'SERVER_ERROR',
  'TIMEOUT',
]);

const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'EXECUTION_FAILED',
  'SANDBOX_ERROR',
  'INTERNAL',
]);

/** Recognises tools of a server, and tools that reach only hosts they declare by name. */
const hasFixedEnd = ({ server, needs }: Tool): boolean =>
  server !== undefined ||
  (needs?.hosts !== undefined &&
    needs.hosts.length > 0 &&
    !needs.hosts.some((host) => host.includes('*')));

const codeOf = ({ code, cause }: ToolError): ErrorCode =>
  code === 'MAX_RETRIES_EXCEEDED' ? (cause ?? code) : code;

export const whoseFault = (error: ToolError, call: Call<'ready'>): Fault => {
  const code = codeOf(error);
  if (OF_THE_TOOL.has(code)) return 'tool';
  if (OF_THE_REMOTE_END.has(code)) {
    // A caller that gives a call less time than the tool asks for causes the timeout.
    const isShortened = code === 'TIMEOUT' && call.options.timeoutMs !== undefined;
    return hasFixedEnd(call.ready.tool) && !isShortened ? 'tool' : 'unknown';
  }
  return UNKNOWN.has(code) ? 'unknown' : 'caller';
};
