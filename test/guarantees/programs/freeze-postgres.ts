/** Stops all processes of a PostgreSQL at one moment, so that its folder can be copied as a power cut leaves it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const statOf = (pid: number): { readonly state: string; readonly parent: number } | undefined => {
  try {
    // The name of the program may hold spaces and brackets: fields are counted from its end.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
};

const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && statOf(each)?.parent === pid);

const stop = async (pid: number): Promise<void> => {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    return;
  }
  for (let tries = 0; tries < 5_000; tries++) {
    const { state } = statOf(pid) ?? {};
    if (state === undefined || state === 'T' || state === 'Z') return;
    await pause(1);
  }
  throw new Error('PostgreSQL does not stop.');
};

/** Lets the processes go on, also those that had not stopped yet. */
const goOn = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It has ended.
    }
  }
};

/** Returns how to let it go on. The first process is stopped first: it makes no others then. */
export const freezePostgres = async (folder: string): Promise<() => void> => {
  const postmaster = Number(
    readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0],
  );
  const stopped = [postmaster];
  try {
    await stop(postmaster);
    for (const child of childrenOf(postmaster)) {
      stopped.unshift(child);
      await stop(child);
    }
  } catch (error) {
    // A server that stays stopped takes no signal but SIGKILL: whoever ends it would wait for ever.
    goOn(stopped);
    throw error;
  }
  return () => goOn(stopped);
};
