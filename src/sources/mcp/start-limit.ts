/** How long a server may take to start. */
import { basename } from 'node:path';
import type { ServerSettings } from './server-settings.ts';

const MAX_INSTALL_MS = 600_000;

/** Programs that load a package before they run it. */
const INSTALLERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pipx', 'docker', 'podman']);
/** Package managers that do so with one of the subcommands below. */
const MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'uv', 'deno', 'go']);
const SUBCOMMANDS: ReadonlySet<string> = new Set(['exec', 'dlx', 'x', 'run', 'tool']);

/** Tells whether the command of the server may install something first, also behind `env` or `sh`. */
export const isInstaller = (settings: ServerSettings): boolean => {
  if (settings.transport !== 'stdio') return false;
  const words = [settings.command, ...settings.args];
  const programs = words.map((word) => basename(word).replace(/\.(cmd|exe|ps1)$/i, ''));
  return programs.some(
    (program, index) =>
      INSTALLERS.has(program) ||
      (MANAGERS.has(program) && SUBCOMMANDS.has(programs[index + 1] ?? '')),
  );
};

/** How long a list of tools waits for a server that was never listed. */
const MAX_BRIEF_MS = 2000;
/** The same for a server whose command may have to load a package first. */
const MAX_BRIEF_INSTALL_MS = 60_000;

/** Gives the milliseconds that a short command waits for the first list of a server. */
export const briefLimit = (settings: ServerSettings): number =>
  isInstaller(settings) ? MAX_BRIEF_INSTALL_MS : Math.min(MAX_BRIEF_MS, settings.startTimeoutMs);

/** Gives the milliseconds that a call waits for the first list of a server that may have its tool. */
export const discoveryLimit = (settings: ServerSettings): number =>
  isInstaller(settings) ? MAX_BRIEF_INSTALL_MS : settings.startTimeoutMs;

/** Gives the milliseconds until a start fails. The first one may have to load packages. */
export const startLimit = (settings: ServerSettings, hasBeenReady: boolean): number => {
  const { startTimeoutMs, firstStartTimeoutMs } = settings;
  if (hasBeenReady || firstStartTimeoutMs === undefined) return startTimeoutMs;
  return isInstaller(settings)
    ? Math.max(firstStartTimeoutMs, MAX_INSTALL_MS)
    : firstStartTimeoutMs;
};
