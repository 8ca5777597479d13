/**
 * Names where the files of this process are: by a random id in the user's folder, because host names
 * repeat and containers get a new one each time. Processes that share that folder share the files, too.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { placeText } from '../../kit/data/place.ts';
import { createFile } from '../../kit/file/replace-file.ts';

const FILE = 'place-id';
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the id. Undefined for a file that is missing or holds something else. */
const readId = async (file: string): Promise<string | undefined> => {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return ID.test(text) ? text : undefined;
};

/** Returns the place, with a new id the first time. Where the folder cannot be written the host is the id. */
export const openPlace = async (userDir: string): Promise<string> => {
  const file = join(userDir, FILE);
  const host = hostname();
  const id = await readId(file);
  if (id !== undefined) return placeText(id, host);
  try {
    await mkdir(userDir, { recursive: true, mode: 0o700 });
    await createFile(file, `${randomUUID()}\n`);
  } catch {
    return placeText(host, host);
  }
  return placeText((await readId(file)) ?? host, host);
};
