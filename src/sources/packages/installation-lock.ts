/** Lets one process at a time change the installed packages of a folder. */
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { createFile } from '../../kit/file/replace-file.ts';
import { identifyProcess, isProcessAlive } from '../../kit/sqlite/process-identity.ts';

const LOCK = '.installing';
const WAIT_MS = 100;
const MAX_WAITS = 600;

const isDead = (text: string): boolean => {
  try {
    const holder: unknown = JSON.parse(text);
    if (!isRecord(holder)) return true;
    const { place, pid, started } = holder;
    const isHere = place === identifyProcess().place;
    return (
      isHere &&
      !isProcessAlive({ place: String(place), pid: Number(pid), started: String(started) })
    );
  } catch {
    return true;
  }
};

/** Takes away the claim of a process that has ended, and only that one. */
const removeDead = async (file: string): Promise<void> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || !isDead(text)) return;
  const aside = `${file}-${process.pid}`;
  await rename(file, aside).catch(() => undefined);
  const taken = await readFile(aside, 'utf8').catch(() => text);
  // Another process was faster, and this is its claim.
  if (taken !== text) await createFile(file, taken);
  await rm(aside, { force: true });
};

const busy = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'Another process is installing packages here.', {
    suggestions: ['Wait until it has finished, then try again.'],
  });

/** Makes the failure for a folder that cannot be written. */
export const notWritable = (error: unknown): ToolFailure => {
  const code = errorCodeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ToolFailure('EXECUTION_FAILED', 'The disk is full, so nothing was installed.', {
      suggestions: ['Free some space, then try again.'],
    });
  }
  const message = `The folder of packages cannot be written (${code}).`;
  return new ToolFailure('PERMISSION_DENIED', message, {
    suggestions: ['Nothing has changed. Check who owns the folder and whether it is read-only.'],
  });
};

/** Makes the claim unless there is one. */
const claimed = async (folder: string, claim: string): Promise<boolean> => {
  try {
    await mkdir(folder, { recursive: true });
    return await createFile(join(folder, LOCK), claim);
  } catch (error) {
    throw notWritable(error);
  }
};

/** Runs work while no other process changes the packages of the folder. */
export const whileInstalling = async <T>(
  folder: string,
  runtime: Pick<Runtime, 'after'>,
  work: () => Promise<T>,
): Promise<T> => {
  const file = join(folder, LOCK);
  const claim = JSON.stringify({ ...identifyProcess(), claim: crypto.randomUUID() });
  for (let waits = 0; !(await claimed(folder, claim)); waits += 1) {
    if (waits >= MAX_WAITS) throw busy();
    await removeDead(file);
    await new Promise<void>((resolve) => {
      runtime.after(WAIT_MS, resolve);
    });
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
};
