import { describe, expect, it } from 'vitest';
import { readTrace, traceIdOf } from './trace-context.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const GOOD = `00-${TRACE_ID}-b7ad6b7169203331-01`;

describe('readTrace', () => {
  it('takes a trace context with its state', () => {
    expect(readTrace(GOOD, 'vendor=1')).toEqual({ traceparent: GOOD, tracestate: 'vendor=1' });
    expect(traceIdOf({ traceparent: GOOD })).toBe(TRACE_ID);
  });

  it.each([
    ['another version', GOOD.replace('00-', '42-')],
    ['not sampled', GOOD.replace(/01$/, '00')],
  ])('benign: takes %s', (_case, traceparent) => {
    expect(readTrace(traceparent)).toEqual({ traceparent });
  });

  it.each([
    ['nothing', undefined],
    ['a list', [GOOD]],
    ['upper case', GOOD.toUpperCase()],
    ['a trace of zeros', GOOD.replace(TRACE_ID, '0'.repeat(32))],
    ['a span of zeros', GOOD.replace('b7ad6b7169203331', '0'.repeat(16))],
    ['the reserved version', GOOD.replace('00-', 'ff-')],
    ['a line break', `${GOOD}\n`],
    ['more than there is', `${GOOD}-00`],
    ['a megabyte', GOOD + 'a'.repeat(1_000_000)],
  ])('threat: %s counts as no trace', (_case, traceparent) => {
    expect(readTrace(traceparent)).toBeUndefined();
  });

  it.each([
    ['a line break', 'a=1\nx: y'],
    ['too long', 'a'.repeat(513)],
    ['no text', 7],
  ])('threat: a state with %s is left out', (_case, state) => {
    expect(readTrace(GOOD, state)).toEqual({ traceparent: GOOD });
  });
});
