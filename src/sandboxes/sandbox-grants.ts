/** Checks the paths that a run may see: absolute, existing, not too wide, and not redirected by a link. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, normalize, sep } from 'node:path';
import type { SandboxConfig } from '../contract/sandbox.ts';
import { sandboxFailure } from '../kit/data/coded-failures.ts';

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

export const isAtOrBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

const sourceOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    throw sandboxFailure(
      'A path granted to the sandbox is not there.',
      'Create it or take it off the list.',
    );
  }
};

const tidy = (path: string): string => {
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith(sep) ? plain.slice(0, -1) : plain;
};

const grantOf = (granted: string, writable: boolean): SandboxGrant => {
  if (!isAbsolute(granted) || granted.includes('\0')) {
    throw sandboxFailure('A path granted to the sandbox is not absolute.', 'Grant absolute paths.');
  }
  const path = tidy(granted);
  const source = sourceOf(path);
  if ([path, source].some((it) => it === sep || KERNEL.some((root) => isAtOrBelow(it, root)))) {
    throw sandboxFailure(
      'A path granted to the sandbox is too wide.',
      'Grant the folder of the work.',
    );
  }
  return { path, source, writable, isFolder: statSync(source).isDirectory() };
};

/** Refuses a link below a writable folder: a program could put it there for the next run. */
const assertNotRedirected = (grant: SandboxGrant, all: readonly SandboxGrant[]): void => {
  const outer = all.find(
    (other) => other.writable && other !== grant && isAtOrBelow(grant.path, other.path),
  );
  if (outer !== undefined && grant.source !== outer.source + grant.path.slice(outer.path.length)) {
    throw sandboxFailure(
      'A path granted to the sandbox is a link below a folder that sandboxes may write.',
      'Grant the path that the link leads to.',
    );
  }
};

/** Lists the grants, outermost first, so that inner ones are mounted over outer ones. */
export const sandboxGrants = ({ fileSystemAccess }: SandboxConfig): readonly SandboxGrant[] => {
  const write = (fileSystemAccess?.write ?? []).map((path) => grantOf(path, true));
  const read = (fileSystemAccess?.read ?? [])
    .map((path) => grantOf(path, false))
    .filter(({ path }) => !write.some((grant) => grant.path === path));
  const all = [...write, ...read].sort((a, b) => a.path.length - b.path.length);
  for (const grant of all) assertNotRedirected(grant, all);
  return all;
};
