/** Makes the request for a container, with all of its confinement. */
import type { ContainerCreateOptions } from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import { findMasked, type Masked, type Masks } from '../find-masked.ts';
import type { RunLimits } from '../run-limits.ts';
import { SANDBOX_HOME } from '../sandbox-environment.ts';
import type { SandboxGrant } from '../sandbox-grants.ts';
import { type Identity, sandboxIdentity } from '../sandbox-identity.ts';

export interface OrderRequest {
  readonly image: string;
  readonly ociRuntime: string | undefined;
  /** As whom this process runs. */
  readonly identity: Identity;
  readonly limits: RunLimits;
  /** What the image starts with; its own when absent. */
  readonly entrypoint?: readonly string[];
  /** The words after it; those of the image when there are none. */
  readonly argv: readonly string[];
  /** The image's own when absent. */
  readonly workingFolder?: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly grants: readonly SandboxGrant[];
  readonly masks: Masks;
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Long enough that no other process takes a container of a slow engine for forgotten. */
const FORGOTTEN_AFTER_MS = 60_000;

/** Marks our containers with the time after which they are forgotten. */
export const ENDS_AT_LABEL = 'toolcrib.sandbox.ends-at';

const userFor = (own: Identity, grants: readonly SandboxGrant[]): string => {
  const sources = grants.map(({ source, writable }) => ({ path: source, writable }));
  const { uid, gid } = sandboxIdentity(own, sources);
  if (uid !== 0) return `${uid}:${gid}`;
  throw new ToolFailure('SANDBOX_ERROR', 'A granted path can be reached by root alone.', {
    suggestions: ['Give the folder to another user: containers do not run as root.'],
  });
};

interface Mounts {
  readonly binds: readonly string[];
  readonly empty: readonly string[];
}

const mountsOf = (grant: SandboxGrant, masks: Masks): Mounts => {
  const { path, source, writable } = grant;
  const masked = findMasked({ root: source, writable, masks });
  const at = (hidden: string) => path + hidden.slice(source.length);
  const bind = (one: Masked) => {
    if (one.as === 'in-place') return `${one.path}:${at(one.path)}:rw`;
    return one.as === 'read-only'
      ? `${one.path}:${at(one.path)}:ro`
      : `/dev/null:${at(one.path)}:ro`;
  };
  return {
    binds: [
      `${source}:${path}:${writable ? 'rw' : 'ro'}`,
      ...masked.filter(({ as }) => as !== 'empty-folder').map(bind),
    ],
    empty: masked.filter(({ as }) => as === 'empty-folder').map((one) => at(one.path)),
  };
};

/** Refuses a path with a colon, which the engine would read as the end of the path. */
const assertPlain = (grants: readonly SandboxGrant[]): void => {
  if (grants.every(({ path, source }) => !`${path}${source}`.includes(':'))) return;
  throw new ToolFailure('SANDBOX_ERROR', 'A path with a colon cannot be granted to a container.');
};

const confinement = (limits: RunLimits, mounts: readonly Mounts[]) => {
  const bytes = Math.floor(limits.memoryMb * 1_048_576);
  const scratch = `rw,nosuid,nodev,mode=1777,size=${Math.floor(bytes / 4)}`;
  return {
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    Memory: bytes,
    // The same as memory: no swap on top of it.
    MemorySwap: bytes,
    PidsLimit: limits.processes,
    ...(limits.cpus !== undefined && { NanoCpus: Math.round(limits.cpus * 1e9) }),
    IpcMode: 'private',
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 1024, Hard: 4096 },
      { Name: 'nproc', Soft: 4096, Hard: 4096 },
    ],
    LogConfig: { Type: 'none', Config: {} },
    Binds: mounts.flatMap(({ binds }) => binds),
    Tmpfs: {
      '/tmp': scratch,
      [SANDBOX_HOME]: scratch,
      ...Object.fromEntries(
        mounts.flatMap(({ empty }) => empty.map((path) => [path, 'ro,size=4096'])),
      ),
    },
  };
};

/** Fails with SANDBOX_ERROR when a path that is granted cannot be. */
export const containerRequest = (request: OrderRequest): ContainerCreateOptions => {
  const { argv, entrypoint, grants, limits, ociRuntime, workingFolder } = request;
  assertPlain(grants);
  return {
    Image: request.image,
    ...(entrypoint !== undefined && { Entrypoint: [...entrypoint] }),
    ...(argv.length > 0 && { Cmd: [...argv] }),
    Env: Object.entries(request.variables).map(([name, value]) => `${name}=${value}`),
    User: userFor(request.identity, grants),
    ...(workingFolder !== undefined && { WorkingDir: workingFolder }),
    Labels: { [ENDS_AT_LABEL]: String(request.startedAt + limits.timeMs + FORGOTTEN_AFTER_MS) },
    NetworkDisabled: true,
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      ...confinement(
        limits,
        grants.map((grant) => mountsOf(grant, request.masks)),
      ),
      ...(ociRuntime !== undefined && { Runtime: ociRuntime }),
    },
  };
};
