/** Checks in the background, at most once a day, whether installed packages have newer versions. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledPackage } from '../../contract/packages.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { putFile } from '../../kit/file/replace-file.ts';
import { type Io, note, type OpenCrib } from '../io.ts';

const FILE = 'package-updates.json';
/** Waits until the command has started. */
const DELAY_MS = 5_000;

const lastCheck = async (file: string): Promise<number> => {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value.checkedAt === 'number' ? value.checkedAt : 0;
  } catch {
    return 0;
  }
};

/** Checks now, unless a process did so within the last day. Never rejects. */
export const checkPackages = async (io: Io, { crib, loaded }: OpenCrib): Promise<void> => {
  const file = join(loaded.userDir, FILE);
  const now = io.runtime.now();
  if (now - (await lastCheck(file)) < DAY_MS) return;
  try {
    // Written before the check, so that only one of several processes does it.
    await putFile(file, `${JSON.stringify({ checkedAt: now })}\n`);
    const infos = await crib.packages.checkForUpdates();
    for (const { name, current, wanted, latest } of infos.filter((one) => one.isOutdated)) {
      const newest = wanted === undefined || wanted === current ? latest : wanted;
      note(
        io,
        `There is a newer version of ${name}: ${newest} (installed: ${current}). toolcrib update ${name}`,
      );
    }
  } catch (error) {
    io.runtime.log.debug('packages could not be checked', { reason: reasonOf(error) });
  }
};

/**
 * Schedules the check in commands that stay. Nothing waits for it, and it does not keep the process
 * alive.
 */
export const checkPackagesSoon = (io: Io, open: OpenCrib): void => {
  const installed: readonly InstalledPackage[] = open.crib.packages.list();
  if (!open.loaded.config.registry.updateChecks || installed.length === 0) return;
  io.runtime.after(DELAY_MS, () => void checkPackages(io, open)).keepAlive(false);
};
