/** Where programs are looked for, besides the folders that are given: never in the workspace. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The name of ripgrep's file on this system. */
export const RIPGREP = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** Lists where package managers put programs for everybody, and for the user who installed them. */
export const programFolders = (): readonly string[] => [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
  '/snap/bin',
  '/run/current-system/sw/bin',
  join(homedir(), '.cargo', 'bin'),
  join(homedir(), '.local', 'bin'),
  'C:\\ProgramData\\chocolatey\\bin',
  join(homedir(), 'scoop', 'shims'),
  dirname(process.execPath),
];
