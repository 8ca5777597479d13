/**
 * The same rules for macOS, as a profile for `sandbox-exec`. It has never been run by our tests,
 * which have no such machine: they check its text.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { findMasked, type Masked } from '../find-masked.ts';
import { sandboxEnvironment } from '../sandbox-environment.ts';
import { type SandboxGrant, sandboxGrants } from '../sandbox-grants.ts';
import { workingFolder } from '../working-folder.ts';
import { searchPath } from './bubblewrap-arguments.ts';
import type { LaunchRequest, Machine, SandboxLaunch } from './bubblewrap-launch.ts';

const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/System', '/Library/Frameworks', '/private/etc/ssl'],
  ...['/private/var/db/timezone', '/private/var/select', '/opt/homebrew', '/dev/null'],
  ...['/dev/zero', '/dev/random', '/dev/urandom'],
];

/** Quotes a text in the language of profiles. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const subpaths = (paths: readonly string[]): string =>
  paths.map((path) => `(subpath ${quoted(path)})`).join(' ');

const masksOf = (masked: readonly Masked[]): readonly string[] =>
  masked.map(({ path, as }) => {
    if (as === 'in-place') return `(deny file-write-unlink (literal ${quoted(path)}))`;
    const refused = as === 'read-only' ? 'file-write*' : 'file-read* file-write*';
    return `(deny ${refused} (subpath ${quoted(path)}))`;
  });

interface ProfileFacts {
  readonly node: string;
  readonly grants: readonly (SandboxGrant & { readonly masked: readonly Masked[] })[];
}

/** Writes the profile. The later rule wins, so a grant is followed by what is taken out of it. */
const seatbeltProfile = ({ node, grants }: ProfileFacts): string =>
  [
    '(version 1)',
    '(deny default)',
    '(allow process-fork process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") ${subpaths([...SYSTEM, node])})`,
    '(allow file-write-data (literal "/dev/null"))',
    ...grants.flatMap(({ source, writable, masked }) => [
      `(allow ${writable ? 'file-read* file-write*' : 'file-read*'} ${subpaths([source])})`,
      ...(writable ? [] : [`(deny file-write* ${subpaths([source])})`]),
      ...masksOf(masked),
    ]),
    '(deny network*)',
  ].join('\n');

/** Limits that nothing on macOS would hold are refused, not forgotten. */
const assertLimits = ({ resourceLimits }: LaunchRequest['config']): void => {
  for (const name of ['memoryMb', 'processes', 'cpus'] as const) {
    if (resourceLimits?.[name] === undefined) continue;
    throw new ToolFailure('SANDBOX_ERROR', `The process sandbox of macOS has no limit ${name}.`, {
      suggestions: ['Use the container sandbox, or leave the limit out.'],
    });
  }
};

/** Fails with SANDBOX_ERROR when a path, a variable or a limit cannot be given. */
export const seatbeltLaunch = (machine: Machine, request: LaunchRequest): SandboxLaunch => {
  if (request.needsNode) {
    throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox of macOS runs commands only.', {
      suggestions: ['Run code in the wasm or the container sandbox.'],
    });
  }
  assertLimits(request.config);
  const grants = sandboxGrants(request.config).map((grant) => ({
    ...grant,
    masked: findMasked({
      root: grant.source,
      writable: grant.writable,
      masks: request.masks,
    }),
  }));
  const profile = seatbeltProfile({ node: machine.node, grants });
  const path = searchPath([machine.node]);
  const variables = Object.entries(sandboxEnvironment(path, request.config));
  const cwd = workingFolder(request.cwd, grants);
  return {
    argv: [
      ...['sandbox-exec', '-p', profile, 'env', '-i'],
      ...variables.map(([name, value]) => `${name}=${value}`),
      ...request.argv,
    ],
    identity: undefined,
    data: [],
    cwd,
  };
};
