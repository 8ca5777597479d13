/** The checks of `doctor` on this machine: Node, SQLite, programs, a browser. */
import type { HealthCheck } from '../../../contract/health.ts';
import { type BrowserLocation, findBrowser } from '../../../kit/file/find-browser.ts';
import { findProgram, pathFolders } from '../../../kit/file/find-program.ts';
import type { Io } from '../../io.ts';

const MIN_NODE = [20, 19] as const;
const OWN_SQLITE = [22, 13] as const;

const atLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ours = 0, next = 0] = version.split('.').map(Number);
  return ours > major || (ours === major && next >= minor);
};

export const checkNode = (version: string): HealthCheck =>
  atLeast(version, MIN_NODE)
    ? { name: 'node', state: 'ok', message: `Node ${version}` }
    : {
        name: 'node',
        state: 'broken',
        message: `Node ${version} is too old`,
        fix: `Install Node ${MIN_NODE.join('.')} or later.`,
      };

export const checkSqlite = async (version: string): Promise<HealthCheck> => {
  const name = 'sqlite';
  if (atLeast(version, OWN_SQLITE)) {
    return { name, state: 'ok', message: 'SQLite comes with this Node' };
  }
  try {
    await import('@photostructure/sqlite');
    return { name, state: 'ok', message: 'SQLite through @photostructure/sqlite' };
  } catch {
    return {
      name,
      state: 'broken',
      message: 'The SQLite driver cannot be loaded',
      fix: 'Run `npm install` again, use Node 22.13 or later, or set store.driver to memory.',
    };
  }
};

export const checkRipgrep = async (io: Io): Promise<HealthCheck> => {
  const path = await findProgram({ names: ['rg', 'rg.exe'], folders: pathFolders(io.env) });
  return path === undefined
    ? {
        name: 'ripgrep',
        state: 'warning',
        message: 'ripgrep is not on the PATH: searching file contents is slower without it',
        fix: 'Install it: apt install ripgrep, brew install ripgrep or winget install BurntSushi.ripgrep.MSVC',
      }
    : { name: 'ripgrep', state: 'ok', message: `ripgrep at ${path}` };
};

/** Returns where the library would install its own browser; `undefined` without the library. */
const bundledBrowser = async (): Promise<string | undefined> => {
  try {
    return (await import('playwright-core')).chromium.executablePath();
  } catch {
    return undefined;
  }
};

/** Checks what `web_scrape` needs to run the scripts of a page; it reads pages without it, too. */
export const checkBrowser = async (
  location: BrowserLocation = {},
  library: () => Promise<string | undefined> = bundledBrowser,
): Promise<HealthCheck> => {
  const name = 'browser';
  const bundled = await library();
  const path = await findBrowser(location, bundled ?? '');
  if (path !== undefined && bundled !== undefined) {
    return { name, state: 'ok', message: `Browser at ${path}` };
  }
  const missing = [
    ...(path === undefined ? ['a Chromium'] : []),
    ...(bundled === undefined ? ['the package playwright-core'] : []),
  ];
  const steps = [
    ...(bundled === undefined ? ['npm install playwright-core'] : []),
    ...(path === undefined ? ['npx playwright-core install chromium'] : []),
  ];
  return {
    name,
    state: 'warning',
    message: `web_scrape cannot run the scripts of pages (render): ${missing.join(' and ')} not found`,
    fix: `Install it: ${steps.join(', then ')}`,
  };
};
