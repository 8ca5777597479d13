/** The folders of a workspace, and what their rules say about a path by its names alone. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve as resolvePath } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import { segmentsOf } from './path-text.ts';
import { protectedRule, sensitiveRule } from './sensitive-names.ts';

export type Access = 'read' | 'write';

export interface NameToJudge {
  readonly path: string;
  readonly access: Access;
  readonly isFolder: boolean;
}

export interface WorkspaceRoots {
  readonly main: string;
  /** Makes the path absolute. Throws when it lies in no root. */
  spellOut(path: string): string;
  /** Throws when the path lies in no root, or when its names forbid the access. */
  assertAllowed(name: NameToJudge): void;
  isSecret(path: string, isFolder: boolean): boolean;
  /** Tells whether the text of an absolute path, links not resolved, lies in a root. */
  isInside(path: string): boolean;
  /** Shows a path relative to the main root with forward slashes; absolute in another root. */
  shown(path: string): string;
  isRoot(path: string): boolean;
  /** Finds the root of a path, and its segments below it. Throws when it lies in none. */
  rootOf(path: string): { readonly root: string; readonly below: readonly string[] };
}

interface Root {
  readonly real: string;
  readonly given: string;
}

const outside = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The path leads outside the workspace.', {
    suggestions: ['Use a path below the workspace root, without links that leave it.'],
  });

const secret = (rule: string) =>
  new ToolFailure('PERMISSION_DENIED', 'Files that hold secrets stay closed.', {
    suggestions: [`Files named ${rule} count as secret. Ask a person for the one value you need.`],
  });

const writeProtected = (rule: string) =>
  new ToolFailure('PERMISSION_DENIED', 'This file is never written by a tool.', {
    suggestions: [`Files named ${rule} are protected. Ask a person to make this change.`],
  });

const openRoot = (path: string): Root => {
  const given = resolvePath(path);
  const real = realpathSync.native(given);
  if (!statSync(real).isDirectory()) throw new TypeError('A root of the workspace is no folder.');
  return { real, given };
};

/** Finds the root of a path, and its segments below it. */
const findRoot = (roots: readonly Root[], path: string) => {
  for (const root of roots) {
    const below = segmentsBelow(root.real, path);
    if (below) return { root, below };
  }
  throw outside();
};

/** Replaces a root that was given through a link by the real one. */
const rebased = (roots: readonly Root[], path: string): string => {
  for (const { given, real } of roots) {
    const below = segmentsBelow(given, path);
    if (below) return join(real, ...below);
  }
  return path;
};

export interface RootsOptions {
  readonly root: string;
  readonly extraRoots: readonly string[];
  readonly protectedNames: readonly string[];
}

/** Throws when a root does not exist or is no folder. */
export const openWorkspaceRoots = (options: RootsOptions): WorkspaceRoots => {
  const roots = [options.root, ...options.extraRoots].map(openRoot);
  const main = openRoot(options.root).real;
  const secretRule = (path: string, isFolder: boolean): string | undefined => {
    const { root, below } = findRoot(roots, path);
    return sensitiveRule({ above: segmentsOf(root.real), below, isFolder });
  };
  return {
    main,
    spellOut: (path) => {
      const absolute = rebased(roots, resolvePath(main, path));
      findRoot(roots, absolute);
      return absolute;
    },
    assertAllowed: ({ path, access, isFolder }) => {
      const rule = secretRule(path, isFolder);
      if (rule !== undefined) throw secret(rule);
      if (access === 'read') return;
      const protectedBy = protectedRule(findRoot(roots, path).below, options.protectedNames);
      if (protectedBy !== undefined) throw writeProtected(protectedBy);
    },
    isInside: (path) =>
      isAbsolute(path) &&
      roots.some(({ given, real }) => [given, real].some((root) => segmentsBelow(root, path))),
    isSecret: (path, isFolder) => secretRule(path, isFolder) !== undefined,
    shown: (path) => {
      const below = segmentsBelow(main, path);
      return below ? below.join('/') || '.' : path;
    },
    isRoot: (path) => roots.some(({ real }) => real === path),
    rootOf: (path) => {
      const { root, below } = findRoot(roots, path);
      return { root: root.real, below };
    },
  };
};
