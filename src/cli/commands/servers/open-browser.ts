/** Opens a page in the browser of the person at this machine. The address is passed to no shell. */
import { spawn } from 'node:child_process';
import type { Io } from '../../io.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the address; false when no browser can be started. */
export const openBrowser = (io: Io, url: URL): Promise<boolean> => {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url.href], {
      stdio: 'ignore',
      detached: true,
      shell: false,
      env: { ...io.env },
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
};
