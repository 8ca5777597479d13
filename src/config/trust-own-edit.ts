/**
 * Trusts a project again after an edit that this program made for the user. Only that one file may
 * be different: whatever else lies in the folder has not been looked at by anybody.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigEdit } from './edit-config.ts';
import { sha256 } from './project-folder.ts';
import {
  type Answer,
  type ConfigPlace,
  type ProjectTrust,
  readProjectTrust,
  trustProject,
} from './project-trust.ts';

export interface OwnEdit extends ConfigEdit {
  /** Below `.toolcrib`. */
  readonly name: string;
}

/** What was trusted before counts only if the edit began from it. */
const trustedFiles = (
  { state, folder }: ProjectTrust,
  { name, before }: OwnEdit,
): Readonly<Record<string, string>> | undefined => {
  if (state !== 'trusted' || !folder) return {};
  const old = Object.hasOwn(folder.files, name) ? folder.files[name] : undefined;
  const began = before === undefined ? undefined : sha256(before);
  return old === began ? folder.files : undefined;
};

export interface EditedProject extends Omit<Answer, 'userDir'> {
  /** As it was before the edit. */
  readonly trust: ProjectTrust;
  readonly edit: OwnEdit;
}

/** False when something besides the edit is new or different; then nothing is remembered. */
export const trustOwnEdit = async (
  place: ConfigPlace & { readonly userDir: string },
  { trust, edit, now }: EditedProject,
): Promise<boolean> => {
  const known = trustedFiles(trust, edit);
  const { folder } = await readProjectTrust(place);
  if (!known || !folder || folder.problems.length > 0) return false;
  if (!isDeepStrictEqual(folder.files, { ...known, [edit.name]: sha256(edit.after) })) return false;
  await trustProject(folder, { userDir: place.userDir, now });
  return true;
};
