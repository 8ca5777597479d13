/**
 * The files in which accepted tools are kept. A project's counts as long as it is the one that was trusted;
 * our own edit keeps the trust, and only ours. The user's own always counts.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { FOLDER } from '../config/load/find-config-files.ts';
import { readConfigText, textOf } from '../config/load/read-config-file.ts';
import { ToolFailure } from '../contract/errors.ts';
import { putFile } from '../kit/file/replace-file.ts';
import { LOCK } from './project-folder.ts';
import { type ConfigLocation, type ProjectTrust, readProjectTrust } from './project-trust.ts';
import { trustFileFault } from './trust-file.ts';
import { trustOwnEdit } from './trust-own-edit.ts';
import { isLockAsTrusted } from './trusted-copies.ts';

const MAX_BYTES = 8 * 1024 * 1024;

export interface LockLocation {
  readonly userDir: string;
  /** The project one stands in, and whether it was trusted when the configuration was read. */
  readonly project?: ConfigLocation & {
    readonly trust: ProjectTrust;
    /** Says whether a source of tools, e.g. `mcp:github`, is configured by the user: accepted for all projects. */
    readonly isUserOrigin?: (origin: string) => boolean;
  };
}

export interface LockFile {
  readonly path: string;
  /** `undefined` when there is none. */
  readonly text: string | undefined;
}

export interface LockFiles {
  readonly user: LockFile;
  /** Only that of a trusted project. */
  readonly project: LockFile | undefined;
}

const userFile = async (path: string): Promise<LockFile> => {
  const self = process.getuid?.();
  const { text, fault } = await readConfigText(path, {
    check: (stats) => trustFileFault(stats, self),
    maxBytes: MAX_BYTES,
    noLink: true,
  });
  if (fault !== undefined) throw new ConfigError([{ file: path, path: '', message: fault }]);
  return { path, text };
};

/** Gives the lock as it was trusted, also when something else in the project has changed since. */
const projectFile = ({ folder, inForce }: ProjectTrust): LockFile | undefined => {
  if (!folder || !inForce || !isLockAsTrusted(folder, inForce)) return undefined;
  const path = join(folder.projectDir, FOLDER, LOCK);
  const bytes = inForce.contents.get(LOCK);
  if (!bytes) return { path, text: undefined };
  const { text, fault } = textOf(bytes);
  if (fault !== undefined) throw new ConfigError([{ file: path, path: '', message: fault }]);
  return { path, text };
};

/** Throws `ConfigError` for a file that cannot be read, or that others could have written. */
export const readLockFiles = async ({ userDir, project }: LockLocation): Promise<LockFiles> => ({
  user: await userFile(join(userDir, LOCK)),
  project: project && projectFile(project.trust),
});

const changedMeanwhile = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'The lock of tools was changed by somebody else meanwhile.', {
    suggestions: ['Look at the tools again, then accept them.'],
  });

const notTrusted = (): ToolFailure =>
  new ToolFailure(
    'PERMISSION_DENIED',
    'This project is not trusted any more, so nothing was written.',
    {
      suggestions: ['Look at what is in .toolcrib and decide: toolcrib trust'],
    },
  );

export interface LockEdit {
  readonly before: string | undefined;
  readonly after: string;
  readonly now: number;
}

/** Writes the user's lock. Throws CONFLICT when the file is no longer what the edit began from. */
export const writeUserLock = async (
  userDir: string,
  { before, after }: LockEdit,
): Promise<void> => {
  await mkdir(userDir, { recursive: true, mode: 0o700 });
  const { text } = await userFile(join(userDir, LOCK));
  if (text !== before) throw changedMeanwhile();
  await putFile(join(userDir, LOCK), after);
};

/**
 * Writes the project's lock. False when something besides the lock has changed; then the project is
 * no longer trusted. Throws PERMISSION_DENIED for one that was not trusted before.
 */
export const writeProjectLock = async (
  location: ConfigLocation & { readonly userDir: string },
  { before, after, now }: LockEdit,
): Promise<boolean> => {
  const trust = await readProjectTrust(location);
  const { folder, inForce } = trust;
  if (!folder || !inForce || !projectFile(trust) || folder.problems.length > 0) throw notTrusted();
  if (projectFile(trust)?.text !== before) throw changedMeanwhile();
  await putFile(join(folder.realDir, FOLDER, LOCK), after, { mode: 0o644 });
  return (
    trust.insisted || trustOwnEdit(location, { trust, edit: { name: LOCK, before, after }, now })
  );
};
