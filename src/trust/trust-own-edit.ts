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

/** Trusts the edited file if the edit began from the trusted content and is what is there now. */
const trustEditedFile = async (
  location: ConfigLocation & { readonly userDir: string },
  { trust, edit, now }: EditedProject,
): Promise<boolean> => {
  const { folder } = await readProjectTrust(location, { nearest: true });
  if (!folder || folder.realDir !== trust.folder?.realDir) return false;
  const began = edit.before === undefined ? undefined : sha256Hex(edit.before);
  if (ownValue(trust.inForce?.files ?? {}, edit.name) !== began) return false;
  if (ownValue(folder.files, edit.name) !== sha256Hex(edit.after)) return false;
  return trustFiles(folder, [edit.name], { userDir: location.userDir, now });
};

/** Gives the files that were trusted before, if the edit began from them. */
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

/** Trusts an edit of ours, unless it did not begin from what was trusted: then false. */
export const trustOwnEdit = async (
  location: ConfigLocation & { readonly userDir: string },
  project: EditedProject,
): Promise<boolean> => {
  const { trust, edit, now } = project;
  if (!trust.insisted && trust.inForce) return trustEditedFile(location, project);
  const before = trustedFiles(trust, edit);
  const { folder } = await readProjectTrust(location, { nearest: true });
  if (!before || !folder || folder.problems.length > 0) return false;
  if (!isDeepStrictEqual(folder.files, { ...before, [edit.name]: sha256Hex(edit.after) }))
    return false;
  await trustProject(folder, { userDir: location.userDir, now });
  return true;
};
