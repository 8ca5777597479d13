/**
 * Whose fault a failure is. A breaker keeps everybody from a tool, so only what the tool or its server
 * did wrong counts for all; what a caller can bring about by its input counts for that caller.
 */
import type { Call } from '../../contract/call.ts';
import type { ErrorCode, ToolError } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';

export type Fault = 'tool' | 'caller' | 'unknown';

/** The tool broke its own word. */
const OF_THE_TOOL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['OUTPUT_INVALID']);

/** The other end did, where it is always the same one; otherwise the caller may have chosen it. */
const OF_THE_OTHER_END: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NETWORK',
  'SERVER_ERROR',
  'TIMEOUT',
]);

const UNTOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'EXECUTION_FAILED',
  'SANDBOX_ERROR',
  'INTERNAL',
]);

/** Tools that share a server, or reach hosts that they name themselves, always meet the same end. */
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
  if (OF_THE_OTHER_END.has(code)) {
    // Whoever gives a call less time than the tool asks for makes it late.
    const isHurried = code === 'TIMEOUT' && call.options.timeoutMs !== undefined;
    return hasFixedEnd(call.ready.tool) && !isHurried ? 'tool' : 'unknown';
  }
  return UNTOLD.has(code) ? 'unknown' : 'caller';
};
