/** The paths a run may see, checked: absolute, there, not too wide, and not led astray by a link. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, normalize, sep } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxConfig } from '../contract/sandbox.ts';

export interface SandboxGrant {
  /** Where the sandbox sees it. */
  readonly path: string;
  /** Where it lies, links followed. */
  readonly source: string;
  readonly writable: boolean;
  readonly isFolder: boolean;
}

/** The kernel's own, and the mounts that every sandbox has of its own. */
const KERNEL = ['/proc', '/dev', '/sys'];

const refuse = (message: string, suggestion: string) =>
  new ToolFailure('SANDBOX_ERROR', message, { suggestions: [suggestion] });

export const isAtOrBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

const sourceOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    throw refuse(
      'A path granted to the sandbox is not there.',
      'Create it or take it off the list.',
    );
  }
};

const tidy = (path: string): string => {
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith(sep) ? plain.slice(0, -1) : plain;
};

const grantOf = (given: string, writable: boolean): SandboxGrant => {
  if (!isAbsolute(given) || given.includes('\0')) {
    throw refuse('A path granted to the sandbox is not absolute.', 'Grant absolute paths.');
  }
  const path = tidy(given);
  const source = sourceOf(path);
  if ([path, source].some((it) => it === sep || KERNEL.some((root) => isAtOrBelow(it, root)))) {
    throw refuse('A path granted to the sandbox is too wide.', 'Grant the folder of the work.');
  }
  return { path, source, writable, isFolder: statSync(source).isDirectory() };
};

/** A program that may write a folder may also put a link where the next run is granted a path. */
const assertNotLedAstray = (grant: SandboxGrant, all: readonly SandboxGrant[]): void => {
  const outer = all.find(
    (other) => other.writable && other !== grant && isAtOrBelow(grant.path, other.path),
  );
  if (outer !== undefined && grant.source !== outer.source + grant.path.slice(outer.path.length)) {
    throw refuse(
      'A path granted to the sandbox is a link below a folder that sandboxes may write.',
      'Grant the path that the link leads to.',
    );
  }
};

/** Outermost first, so that what lies inside is mounted over it. */
export const sandboxGrants = ({ fileSystemAccess }: SandboxConfig): readonly SandboxGrant[] => {
  const write = (fileSystemAccess?.write ?? []).map((path) => grantOf(path, true));
  const read = (fileSystemAccess?.read ?? [])
    .map((path) => grantOf(path, false))
    .filter(({ path }) => !write.some((grant) => grant.path === path));
  const all = [...write, ...read].sort((a, b) => a.path.length - b.path.length);
  for (const grant of all) assertNotLedAstray(grant, all);
  return all;
};
