// The suite starts all its clients at once. On a small machine they starve each other, until servers
// close connections that look idle; so only as many run at a time as there are processors. Slots are
// folders below TOOLCRIB_TURNS; without that variable nobody waits.
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 50;

const tryTurn = (folder) => {
  for (let slot = 0; slot < availableParallelism(); slot += 1) {
    const path = join(folder, String(slot));
    try {
      mkdirSync(path);
      return path;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  return undefined;
};

/** Resolves when it is this process's turn, which lasts until it ends. */
export const takeTurn = async () => {
  const folder = process.env.TOOLCRIB_TURNS;
  if (folder === undefined) return;
  for (;;) {
    const taken = tryTurn(folder);
    if (taken !== undefined) {
      process.once('exit', () => rmSync(taken, { recursive: true, force: true }));
      return;
    }
    await sleep(RETRY_MS);
  }
};
