/** How many processes a sandbox holds and how much memory they have, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  readonly processes: number;
  readonly memoryBytes: number;
}

/** A process may end between two looks; then it uses nothing. */
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

/** Measures a process and all its descendants; stops early when there are more than `most`. */
export const processUsage = (pid: number, most: number): ProcessUsage => {
  const open = [String(pid)];
  let memoryBytes = 0;
  for (let at = 0; at < open.length && open.length <= most; at += 1) {
    const one = open[at] as string;
    memoryBytes += memoryOf(one);
    open.push(...childrenOf(one));
  }
  return { processes: open.length, memoryBytes };
};
