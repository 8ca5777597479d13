/** Says when a process started, so that its id cannot stand for a later process that got the same one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { identifyProcess, type ProcessIdentity } from '../../kit/sqlite/process-identity.ts';

const MAX_PS_MS = 2_000;

/** Asks `ps`, for systems without /proc such as macOS. Gives '' where there is none either. */
const startByPs = async (pid: number): Promise<string> => {
  try {
    const options = { timeout: MAX_PS_MS, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
    const { stdout } = await promisify(execFile)(
      'ps',
      ['-o', 'lstart=', '-p', String(pid)],
      options,
    );
    return stdout.trim();
  } catch {
    return '';
  }
};

/** Names a process with its start; the start is '' where this system tells none, as on Windows. */
export const identifyStart = async (pid: number): Promise<ProcessIdentity> => {
  const identity = identifyProcess(pid);
  if (identity.started !== '' || process.platform === 'win32') return identity;
  return { ...identity, started: await startByPs(pid) };
};
