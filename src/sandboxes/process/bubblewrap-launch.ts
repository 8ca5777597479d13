/** Makes the bubblewrap command line of a request: its user, what it sees, its limits. */
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { RepositoryView, SandboxConfig } from '../../contract/sandbox.ts';
import { findMasked, type Masked, type Masks, NOT_WALKED } from '../find-masked.ts';
import type { RunLimits } from '../run-limits.ts';
import { SANDBOX_HOME, sandboxEnvironment } from '../sandbox-environment.ts';
import { type SandboxGrant, sandboxGrants } from '../sandbox-grants.ts';
import { type Identity, reaches, sandboxIdentity } from '../sandbox-identity.ts';
import { workingFolder } from '../working-folder.ts';
import { bubblewrapArguments, SHOWN_ID, searchPath } from './bubblewrap-arguments.ts';
import type { PackagedProgram } from './packaged-program.ts';
import { NETWORK_SOCKET, PROXY_VARIABLES } from './relay-program.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { nodeHome, systemView } from './system-view.ts';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** As whom this process runs. */
  readonly identity: Identity;
  /** The path of the Node that runs code. */
  readonly node: string;
}

export interface LaunchRequest {
  readonly config: SandboxConfig;
  readonly limits: RunLimits;
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly needsNode: boolean;
  readonly masks: Masks;
  /** Files laid over a folder of a repository. */
  readonly info?: RepositoryView['info'];
  /** The socket of the proxy on the host, for a run with network. */
  readonly network?: string;
  /** Folders of a program that is no part of the system, and where they are seen. */
  readonly packages?: PackagedProgram['folders'];
}

export interface SandboxLaunch {
  readonly argv: readonly string[];
  readonly identity: Identity | undefined;
  readonly data: readonly Buffer[];
  /** Of the first program; the sandbox may start in a folder of its own. */
  readonly cwd?: string;
}

const ARGUMENTS_FD = 3;
const SECCOMP_FD = 4;
const FILES_FD = 5;

/** Gives the ids names, because some programs fail without a user name. */
const files = ({ uid, gid }: Identity): readonly (readonly [string, string])[] => [
  ['/etc/passwd', `sandbox:x:${uid || SHOWN_ID}:${gid || SHOWN_ID}::${SANDBOX_HOME}:/bin/sh\n`],
  ['/etc/group', `sandbox:x:${gid || SHOWN_ID}:\n`],
  ['/etc/hosts', '127.0.0.1 localhost sandbox\n::1 localhost\n'],
];

/**
 * Sets kernel limits for the case that this process is stopped and watches no more. They are far above
 * the watched limits, because the kernel counts per user and per process.
 */
const kernelLimits = ({ timeMs, processes, cpus }: RunLimits, cores: number): readonly string[] => {
  const usedCores = Math.ceil(cpus ?? cores);
  const seconds = Math.ceil(timeMs / 1000) * cores + 1;
  // A program without a time limit gets no CPU limit.
  const cpu = Number.isFinite(seconds) ? [`--cpu=${seconds}`] : [];
  return [
    ...['prlimit', '--core=0', ...cpu, `--nproc=${processes * 8 + 1024}`, '--'],
    ...(usedCores < cores ? ['taskset', '--cpu-list', `0-${usedCores - 1}`] : []),
  ];
};

const readable = (path: string) => ({ path, writable: false });

/** Finds Node where it is not in a system folder; leaves it out where the sandbox's user cannot reach it. */
const programsFor = (
  machine: Machine,
  grants: readonly SandboxGrant[],
  { needsNode: needed, packages = [] }: LaunchRequest,
) => {
  const asGrants = nodeHome(machine.node).map(readable);
  const sources = grants.map(({ source, writable }) => ({ path: source, writable }));
  const identity = sandboxIdentity(machine.identity, [
    ...sources,
    ...packages.map(([source]) => readable(source)),
    ...(needed ? asGrants : []),
  ]);
  const seen = asGrants.filter((grant) => needed || reaches(identity, grant));
  return { identity, programs: seen.map(({ path }) => path) };
};

/** Tells programs the proxy by the environment; configured variables do not override it. */
const environmentOf = (programs: readonly string[], { config, network }: LaunchRequest) => ({
  ...sandboxEnvironment(searchPath(programs), config),
  ...(network !== undefined && PROXY_VARIABLES),
});

const extrasOf = ({ network, packages = [] }: LaunchRequest) => [
  ...packages,
  ...(network === undefined ? [] : [[network, NETWORK_SOCKET] as const]),
];

/** Replaces a folder by a new one, with the descriptors of its files. */
const overlayOf = ({ info }: LaunchRequest, first: number) => {
  const names = Object.keys(info?.files ?? {});
  return {
    data: names.map((name) => Buffer.from(info?.files[name] ?? '')),
    args:
      info === undefined
        ? []
        : [
            ...['--tmpfs', info.path],
            ...names.flatMap((name, index) => [
              ...['--ro-bind-data', String(first + index), join(info.path, name)],
            ]),
            ...['--remount-ro', info.path],
          ],
  };
};

/** Finds masked paths. Packages with a grant of their own are not walked, like those of a project. */
const maskedIn = ({ source, writable }: SandboxGrant, masks: Masks): readonly Masked[] => {
  const isPackages = !writable && source.split(sep).some((name) => NOT_WALKED.has(name));
  return isPackages ? [] : findMasked({ root: source, writable, masks });
};

/** Fails with SANDBOX_ERROR when a path or a variable that is granted cannot be. */
export const bubblewrapLaunch = (machine: Machine, request: LaunchRequest): SandboxLaunch => {
  const { config, limits, masks } = request;
  const grants = sandboxGrants(config);
  const { identity, programs } = programsFor(machine, grants, request);
  const seccomp = seccompFilter(machine.processor);
  const smallFiles = files(identity);
  const overlay = overlayOf(request, FILES_FD + smallFiles.length);
  const args = bubblewrapArguments(
    {
      identity,
      programs,
      system: systemView(),
      grants: grants.map((grant) => ({ ...grant, masked: maskedIn(grant, masks) })),
      extras: extrasOf(request),
      overlay: overlay.args,
      environment: environmentOf(programs, request),
      cwd: workingFolder(request.cwd, grants),
      memoryMb: limits.memoryMb,
      files: smallFiles.map(([path], index) => [path, FILES_FD + index] as const),
      seccomp: SECCOMP_FD,
    },
    existsSync,
  );
  return {
    argv: [
      ...kernelLimits(limits, machine.cores),
      ...['bwrap', '--args', String(ARGUMENTS_FD), '--', ...request.argv],
    ],
    identity: machine.identity.uid === 0 ? identity : undefined,
    data: [
      Buffer.from(args.map((arg) => `${arg}\0`).join('')),
      seccomp,
      ...smallFiles.map(([, text]) => Buffer.from(text)),
      ...overlay.data,
    ],
  };
};
