/** Tells whether this machine can give the process sandbox, by starting one. */
import type { SandboxReadiness } from '../../contract/sandbox.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { hasSeccompFilter } from './seccomp-filter.ts';

const INSTALL =
  'Install bubblewrap 0.8 or later and util-linux (Debian: apt-get install bubblewrap util-linux; ' +
  'Fedora: dnf install bubblewrap util-linux).';
const NAMESPACES =
  'Allow user namespaces for bubblewrap: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu ' +
  'also kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap.';
const REFUSED =
  'Inside a container the engine has to allow user namespaces and mounts of their own; where it ' +
  'does not, use the wasm sandbox, or name the socket of an engine in sandbox.container.socket.';

const adviceFor = (reason: string): string => {
  if (/namespace/.test(reason)) return NAMESPACES;
  return /refused/.test(reason) ? REFUSED : INSTALL;
};

interface HostSystem {
  readonly platform: NodeJS.Platform;
  readonly processor: string;
}

/** Tells whether a sandbox works; `attempt` runs `true` in one. */
export const processReadiness = async (
  { platform, processor }: HostSystem,
  attempt: () => Promise<{ readonly exitCode?: number }>,
): Promise<SandboxReadiness> => {
  if (platform !== 'linux' && platform !== 'darwin') {
    const reason = `There is no process sandbox on ${platform}.`;
    return { ready: false, reason, install: 'Use the wasm or the container sandbox.' };
  }
  if (platform === 'linux' && !hasSeccompFilter(processor)) {
    const reason = `No list of system calls is known for ${processor}.`;
    return { ready: false, reason, install: 'Use the container sandbox.' };
  }
  try {
    const { exitCode } = await attempt();
    if (exitCode === 0) return { ready: true };
    return { ready: false, reason: 'A first sandbox did not work.', install: INSTALL };
  } catch (error) {
    const reason = reasonOf(error);
    return { ready: false, reason, install: adviceFor(reason) };
  }
};
