/**
 * The arguments of bubblewrap. It reads most of them from a descriptor, so that programs inside cannot
 * read the list of mounts from the command line of process 1.
 */
import { dirname } from 'node:path';
import type { Masked } from '../find-masked.ts';
import { SANDBOX_HOME } from '../sandbox-environment.ts';
import type { SandboxGrant } from '../sandbox-grants.ts';
import type { Identity } from '../sandbox-identity.ts';
import { nodeLinks } from './system-view.ts';

/** The id of root inside: programs behave differently, and trust other files, when they are root. */
export const SHOWN_ID = 1000;

export interface MaskedGrant extends SandboxGrant {
  readonly masked: readonly Masked[];
}

export interface SandboxPlan {
  readonly identity: Identity;
  readonly system: readonly string[];
  readonly programs: readonly string[];
  /** Read-only mounts: path on the host and path in the sandbox. */
  readonly extras: readonly (readonly [source: string, target: string])[];
  readonly grants: readonly MaskedGrant[];
  /** Mounts on top of the grants. */
  readonly overlay?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly memoryMb: number;
  /** Descriptors of the small files made for the sandbox, by path. */
  readonly files: readonly (readonly [path: string, descriptor: number])[];
  readonly seccomp: number;
}

/**
 * No network but a loopback of its own, no sight of other processes, no capabilities, no way to
 * make namespaces, no terminal, and the end when we end.
 */
const APART = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'],
  ...['--unshare-cgroup-try', '--disable-userns', '--cap-drop', 'ALL', '--new-session'],
  ...['--die-with-parent', '--hostname', 'sandbox', '--clearenv'],
];

/**
 * Files of /proc whose access depends on the owner and not on capabilities. Root without any
 * capability may still write `core_pattern`, and so run programs outside.
 */
const ROOT_WRITABLE = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs'];
const ROOT_READABLE = [
  ...['/proc/mtrr', '/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/timer_list'],
  ...['/proc/slabinfo', '/proc/vmallocinfo', '/proc/kpagecount', '/proc/kpageflags'],
  ...['/proc/kpagecgroup', '/proc/pagetypeinfo', '/proc/sched_debug', '/proc/latency_stats'],
];
const ROOT_FOLDERS = ['/proc/acpi', '/proc/scsi', '/proc/pressure', '/proc/driver'];

const rootMasks = (exists: (path: string) => boolean): readonly string[] => [
  ...ROOT_WRITABLE.flatMap((path) => ['--ro-bind-try', path, path]),
  ...ROOT_READABLE.filter(exists).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ...ROOT_FOLDERS.filter(exists).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
];

const covered = ({ path, as }: Masked, target: (path: string) => string): readonly string[] => {
  const at = target(path);
  if (as === 'empty-file') return ['--ro-bind', '/dev/null', at];
  if (as === 'empty-folder') return ['--tmpfs', at, '--remount-ro', at];
  return [as === 'in-place' ? '--bind' : '--ro-bind', path, at];
};

const granted = ({ path, source, writable, masked }: MaskedGrant): readonly string[] => [
  writable ? '--bind' : '--ro-bind',
  source,
  path,
  ...masked.flatMap((one) => covered(one, (hidden) => path + hidden.slice(source.length))),
];

/** Mounts a file system in memory. That memory counts for no process, so each mount gets a size. */
const scratch = (bytes: number, path: string): readonly string[] => [
  ...['--size', String(bytes), '--perms', '1777', '--tmpfs', path],
];

/** Lists the arguments, in the order in which bubblewrap mounts. `exists` tells what the kernel offers. */
export const bubblewrapArguments = (
  plan: SandboxPlan,
  exists: (path: string) => boolean,
): readonly string[] => {
  const { identity, memoryMb, environment, seccomp } = plan;
  const quarter = Math.max(1, Math.floor((memoryMb * 1_048_576) / 4));
  return [
    ...APART,
    ...['--uid', String(identity.uid || SHOWN_ID), '--gid', String(identity.gid || SHOWN_ID)],
    ...plan.system,
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(identity.uid === 0 ? rootMasks(exists) : []),
    ...scratch(quarter, '/dev/shm'),
    ...scratch(quarter, '/tmp'),
    ...scratch(quarter, SANDBOX_HOME),
    ...plan.files.flatMap(([path, fd]) => ['--ro-bind-data', String(fd), path]),
    ...plan.programs.flatMap((path) => ['--ro-bind', path, path]),
    ...nodeLinks(plan.programs),
    ...plan.extras.flatMap(([source, target]) => ['--ro-bind', source, target]),
    ...plan.grants.flatMap(granted),
    ...(plan.overlay ?? []),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd],
    ...['--seccomp', String(seccomp)],
  ];
};

/** Gives the PATH inside: the system's folders, and those of programs bound by themselves. */
export const searchPath = (programs: readonly string[]): string =>
  [
    ...new Set(programs.filter((path) => path.endsWith('/node')).map((path) => dirname(path))),
    ...['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'],
  ].join(':');
