/**
 * Trusts a project again after an edit that this program made for the user. In a project that was trusted
 * that one file is; one that was not is trusted only when it holds nothing else.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigEdit } from '../config/edit/edit-config.ts';
import { sha256Hex } from '../kit/data/canonical-json.ts';
import { ownValue } from '../kit/data/own-value.ts';
import {
  type Answer,
  type ConfigLocation,
  type ProjectTrust,
  readProjectTrust,
  trustFiles,
  trustProject,
} from './project-trust.ts';

export interface OwnEdit extends ConfigEdit {
  /** Below `.toolcrib`. */
  readonly name: string;
}

/** The edit counts when it began from the content that was trusted and is what lies there now. */
const trustEditedFile = async (
  place: ConfigLocation & { readonly userDir: string },
  { trust, edit, now }: EditedProject,
): Promise<boolean> => {
  const { folder } = await readProjectTrust(place, { nearest: true });
  if (!folder || folder.realDir !== trust.folder?.realDir) return false;
  const began = edit.before === undefined ? undefined : sha256Hex(edit.before);
  if (ownValue(trust.inForce?.files ?? {}, edit.name) !== began) return false;
  if (ownValue(folder.files, edit.name) !== sha256Hex(edit.after)) return false;
  return trustFiles(folder, [edit.name], { userDir: place.userDir, now });
};

/** What was trusted before counts only if the edit began from it. */
const trustedFiles = (
  { state, folder }: ProjectTrust,
  { name, before }: OwnEdit,
): Readonly<Record<string, string>> | undefined => {
  if (state !== 'trusted' || !folder) return {};
  const old = Object.hasOwn(folder.files, name) ? folder.files[name] : undefined;
  const began = before === undefined ? undefined : sha256Hex(before);
  return old === began ? folder.files : undefined;
};

export interface EditedProject extends Omit<Answer, 'userDir'> {
  /** As it was before the edit. */
  readonly trust: ProjectTrust;
  readonly edit: OwnEdit;
}

/** False when the edit did not begin from what was trusted; then nothing is remembered. */
export const trustOwnEdit = async (
  place: ConfigLocation & { readonly userDir: string },
  project: EditedProject,
): Promise<boolean> => {
  const { trust, edit, now } = project;
  if (!trust.insisted && trust.inForce) return trustEditedFile(place, project);
  const known = trustedFiles(trust, edit);
  const { folder } = await readProjectTrust(place, { nearest: true });
  if (!known || !folder || folder.problems.length > 0) return false;
  if (!isDeepStrictEqual(folder.files, { ...known, [edit.name]: sha256Hex(edit.after) }))
    return false;
  await trustProject(folder, { userDir: place.userDir, now });
  return true;
};
