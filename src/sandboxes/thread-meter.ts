/**
 * Measures the processor time of a thread, from inside. It is text because threads start from text.
 */

/**
 * A function without arguments; the value is a function that returns the processor time of the thread in
 * milliseconds. Linux counts it by thread. Elsewhere, it is the time in which the thread did not wait:
 * more than the processor time on a machine that is busy.
 */
export const METER_PROGRAM = `() => {
'use strict';
const { openSync, readSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const text = Buffer.alloc(64);
const busyMs = () => performance.eventLoopUtilization().active;
try {
  const file = openSync('/proc/thread-self/schedstat', 'r');
  // Nanoseconds on a processor, and two figures more.
  const ran = () => parseInt(text.latin1Slice(0, readSync(file, text, 0, text.length, 0)), 10) / 1e6;
  return ran() > 0 ? ran : busyMs;
} catch {
  return busyMs;
}
}`;
