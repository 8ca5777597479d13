/** Reads W3C Trace Context. What is malformed counts as absent, as the standard demands. */
import type { TraceContext } from '../../contract/telemetry.ts';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** The reserved version. */
const INVALID_VERSION = 'ff';
const MAX_STATE_LENGTH = 512;
/** Printable ASCII. */
const STATE = /^[\x20-\x7e]+$/;

const isUsable = (traceparent: string): boolean => {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  return (
    traceId !== undefined &&
    traceId !== NO_TRACE &&
    spanId !== NO_SPAN &&
    !traceparent.startsWith(INVALID_VERSION)
  );
};

/** Takes what a request says about its trace; `undefined` where that is absent or malformed. */
export const readTrace = (traceparent: unknown, tracestate?: unknown): TraceContext | undefined => {
  if (typeof traceparent !== 'string' || !isUsable(traceparent)) return undefined;
  const isState =
    typeof tracestate === 'string' &&
    tracestate.length <= MAX_STATE_LENGTH &&
    STATE.test(tracestate);
  return isState ? { traceparent, tracestate } : { traceparent };
};

/** Returns the 32 digits that all spans of a trace share. */
export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35);
