/** How many processes a sandbox holds, and what memory and processor time they took, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  readonly processes: number;
  readonly memoryBytes: number;
  /** Processor time in milliseconds, that of children that have ended included. */
  readonly cpuMs: number;
}

/** Reads a file; empty for a process that has ended since, which then uses nothing. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const threadsOf = (pid: string): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
};

/** Lists children; the kernel lists them by the thread that made them. */
const childrenOf = (pid: string): readonly string[] =>
  threadsOf(pid).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  );

/** Program text and libraries are left out: they are shared with the whole machine. */
const OWN_MEMORY = /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm;

const memoryOf = (pid: string): number => {
  let bytes = 0;
  for (const [, kilobytes] of textOf(`/proc/${pid}/status`).matchAll(OWN_MEMORY)) {
    bytes += Number(kilobytes) * 1024;
  }
  return bytes;
};

/** The kernel counts in hundredths of a second for programs, on every architecture. */
const TICK_MS = 10;

/** Reads the fields 14 to 17: own and waited-for children's time, for the program and in the kernel. */
const cpuOf = (pid: string): number => {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name of the program is in brackets, and may hold spaces and brackets itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + (Number(ticks) || 0), 0) * TICK_MS;
};

/** Measures a process and all its descendants; stops early when there are more than `maxProcesses`. */
export const processUsage = (pid: number, maxProcesses: number): ProcessUsage => {
  const open = [String(pid)];
  let memoryBytes = 0;
  let cpuMs = 0;
  for (let at = 0; at < open.length && open.length <= maxProcesses; at += 1) {
    const one = open[at] as string;
    memoryBytes += memoryOf(one);
    cpuMs += cpuOf(one);
    open.push(...childrenOf(one));
  }
  return { processes: open.length, memoryBytes, cpuMs };
};
