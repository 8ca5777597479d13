/** Reads the most memory that this process had, in MB. */
import { readFileSync } from 'node:fs';

/** Not `resourceUsage().maxRSS`: there the size of the parent counts, from the moment of the fork. */
export const peakMemoryMb = () => {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes) / 1024;
  } catch {
    return process.memoryUsage().rss / 2 ** 20;
  }
};
