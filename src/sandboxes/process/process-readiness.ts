/**
 * Tells whether this machine can give the process sandbox, by starting one, and a sandbox that could
 * not be started from a program that failed.
 */
import { ToolFailure } from '../../contract/errors.ts';
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

/**
 * The helpers before the program print only when they fail. A program that prints the same spoils only its own
 * result.
 */
const HELPER = /^(?:bwrap|prlimit|taskset|sandbox-exec|relay): (.*)/;
const HELPER_CODES = new Set([1, 71, 126, 127]);
const NO_PROGRAM = /^execvp (.*): (?:No such file or directory|Permission denied)$/;
const PLAIN_NAME = /^[\w.+-]{1,60}$/;
const NO_HELPER = /^failed to execute (bwrap|taskset): No such file/;

/** Gives the failure, or `undefined` when the program itself has run. */
export const startFailure = (exitCode: number, stderr: string): ToolFailure | undefined => {
  const [, reason] = HELPER_CODES.has(exitCode) ? (HELPER.exec(stderr) ?? []) : [];
  if (reason === undefined) return undefined;
  const [, path] = NO_PROGRAM.exec(reason) ?? [];
  if (path !== undefined) {
    const last = path.split('/').at(-1) ?? '';
    const name = PLAIN_NAME.test(last) ? last : 'it';
    return new ToolFailure('DEPENDENCY_MISSING', 'The program is not there in the sandbox.', {
      suggestions: [`Install ${name} below /usr, or grant the folder it lies in.`],
    });
  }
  return new ToolFailure('SANDBOX_ERROR', `The sandbox could not be put up: ${hint(reason)}`, {
    suggestions: ['Run `toolcrib doctor` to see what is missing.'],
  });
};

/** Says what was wrong, without the paths of the user. */
const hint = (reason: string): string => {
  const [, helper] = NO_HELPER.exec(reason) ?? [];
  if (helper !== undefined) return `the program ${helper} is not installed.`;
  if (/failed to execute|No such file/.test(reason)) return 'a program or a path is missing.';
  if (/namespace|uid map|userns/i.test(reason)) return 'the system allows no user namespaces.';
  if (/Unknown option/.test(reason)) return 'bubblewrap is too old.';
  return 'the system refused a part of it.';
};
