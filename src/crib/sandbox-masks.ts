/** What no sandbox shows, and what it shows read-only, below the folders that it is granted. */
import { isRepositoryLayout, isRepositoryRule } from '../governance/paths/repository-layout.ts';
import {
  protectedFromGit,
  protectedRule,
  sensitiveRule,
} from '../governance/paths/sensitive-names.ts';
import type { Masks } from '../sandboxes/find-masked.ts';

/** Tells whether a path is in `.git`: a repository, or the part of one that belongs to a worktree. */
const isInRepository = (above: readonly string[]): boolean => above.includes('.git');

export const SANDBOX_MASKS: Masks = {
  isSecret: (path) => sensitiveRule(path) !== undefined,
  isProtected: (below, above) =>
    isInRepository(above) ? isRepositoryRule(below) : protectedRule(below) !== undefined,
  isRepository: isRepositoryLayout,
  git: {
    // Git must not read the runtime's own files either.
    isSecret: (path) => sensitiveRule(path)?.startsWith('.toolcrib') ?? false,
    isProtected: (below, above) =>
      isInRepository(above) ? isRepositoryRule(below) : protectedFromGit(below) !== undefined,
    isRepository: isRepositoryLayout,
  },
};
