/**
 * `toolcrib trust --watch`: while it runs, edits of tool files in this project are trusted as the user's
 * own. Settings, rules and the lock are never trusted this way.
 */
import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER } from '../../../config/load/find-config-files.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { ProjectFolder } from '../../../trust/project-folder.ts';
import {
  type ConfigLocation,
  readProjectTrust,
  trustFiles,
  userDirOf,
} from '../../../trust/project-trust.ts';
import { type Io, note, printDone } from '../../io.ts';
import { awaitEnd } from '../../session/on-interrupt.ts';

const TOOLS = 'tools/';
/** Waits this long after an event, because an editor writes a file in several steps. */
const QUIET_MS = 40;

const refuse = (message: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', message, {
    suggestions: ['Look at what is in .toolcrib and decide first: toolcrib trust'],
  });

/** Finds the trusted project. Refuses one that changed before the command began. */
const trustedFolder = async (location: ConfigLocation): Promise<ProjectFolder> => {
  const { state, folder } = await readProjectTrust(location);
  if (state === 'trusted' && folder) return folder;
  throw refuse(
    state === 'changed'
      ? 'This project has changed since you trusted it.'
      : 'There is no project here that you trust.',
  );
};

/** Trusts the tool files that have changed; returns their paths. */
const trustEdits = async (
  io: Io,
  location: ConfigLocation,
  realDir: string,
): Promise<readonly string[]> => {
  const { folder, changed = [], problems } = await readProjectTrust(location);
  if (!folder || folder.realDir !== realDir || problems.length > 0) return [];
  const edits = changed.filter((path) => path.startsWith(TOOLS));
  if (edits.length === 0) return [];
  const answer = { userDir: userDirOf(location), now: io.runtime.now() };
  return (await trustFiles(folder, edits, answer)) ? edits : [];
};

const printTrusted = (io: Io, edits: readonly string[]): void => {
  for (const path of edits) printDone(io, visibleText(path));
};

export const watchTrust = async (io: Io, location: ConfigLocation): Promise<number> => {
  const { realDir } = await trustedFolder(location);
  const folder = join(realDir, FOLDER, 'tools');
  await mkdir(folder, { recursive: true });
  let work: Promise<unknown> = Promise.resolve();
  let isDue = false;
  const trustChanges = async (): Promise<void> => {
    isDue = false;
    printTrusted(io, await trustEdits(io, location, realDir));
  };
  const failed = (error: Error): void => note(io, visibleText(error.message));
  const onChange = (): void => {
    if (isDue) return;
    isDue = true;
    io.runtime.after(QUIET_MS, () => {
      work = work.then(trustChanges).catch(failed);
    });
  };
  const watcher: FSWatcher = watch(folder, { recursive: true }, onChange);
  watcher.on('error', failed);
  note(io, `Edits below ${visibleText(folder)} are trusted until you press Ctrl-C.`);
  const { ended, release } = awaitEnd(io);
  await ended;
  release();
  watcher.close();
  await work;
  return 0;
};
