/** Finds processes by a mark in their environment, for those that left the group they were born into. */
import { readdir, readFile } from 'node:fs/promises';

const environOf = (pid: string): Promise<string> =>
  readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');

/** Only processes of this user can be read, and only those could be killed. */
export const findMarked = async (mark: string): Promise<readonly number[]> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => (await environOf(pid)).split('\0').includes(mark)),
  );
  return pids.filter((_, index) => found[index]).map(Number);
};

/** They may be starting others just now, so it looks again until there are none. */
export const killMarked = async (mark: string): Promise<void> => {
  for (let round = 0; round < 5; round++) {
    const pids = (await findMarked(mark)).filter((pid) => pid !== process.pid);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
    }
  }
};
