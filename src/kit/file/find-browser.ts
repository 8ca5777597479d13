/** Finds a Chromium on this machine. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

export interface BrowserLocation {
  /** The file to use, unchecked. */
  readonly executablePath?: string;
  /** Folders to search instead of those of the system. */
  readonly folders?: readonly string[];
}

/** Not those of PATH: a workspace on it could contain its own browser. */
const FOLDERS: readonly string[] = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
  'C:\\Program Files\\Google\\Chrome\\Application',
];

const NAMES: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'Google Chrome',
  'Chromium',
  'chrome.exe',
];

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Finds a browser; `bundled` is the path where the library installs one. */
export const findBrowser = async (
  { executablePath, folders = FOLDERS }: BrowserLocation,
  bundled: string,
): Promise<string | undefined> => {
  const usual = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const candidates = executablePath === undefined ? [...usual, bundled] : [executablePath];
  for (const candidate of candidates) {
    if (candidate !== '' && (await isProgram(candidate))) return candidate;
  }
  return undefined;
};
