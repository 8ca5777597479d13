/**
 * Binds the files of an approved call to the approval: a path that the call names has to lead where
 * it led when the person said yes, each time it is used, and nothing else is written.
 */
import { isAbsolute } from 'node:path';
import type { ApprovedPath } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import type { Access } from '../paths/workspace-roots.ts';
import type { ResolvedTargets } from './call-targets.ts';

const FILE = 'file:';
const UNREACHABLE = 'unreachable:';

/** A file about to be opened. */
export interface OpenedPath {
  /** The absolute path as spelled, links not followed. */
  readonly asked: string;
  /** Every link resolved. */
  readonly absolute: string;
}

const isAtOrBelow = (path: string, folder: string): boolean =>
  segmentsBelow(folder, path) !== undefined;

const filesOf = (targets: readonly string[]): readonly string[] =>
  targets.filter((target) => target.startsWith(FILE)).map((target) => target.slice(FILE.length));

/** Tells whether one of the targets is the file or a folder above it. */
export const isBelowTargets = (targets: readonly string[], path: string): boolean =>
  filesOf(targets).some((file) => isAtOrBelow(path, file));

/** Tells whether the input names files; if not, the approval covers all files of the call. */
const namesFiles = (targets: readonly string[]): boolean =>
  targets.some((target) => target.startsWith(FILE) || target.startsWith(UNREACHABLE));

const elsewhere = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'The path leads elsewhere than when it was approved.', {
    suggestions: ['Ask again: the person has to see where the path leads now.'],
  });

/** Makes the failure of a call whose file or folder is not the approved one. */
export const exchanged = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'A file or folder was exchanged since it was approved.', {
    suggestions: ['Ask again: the person has to see what is there now.'],
  });

const otherFile = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'The approval was given for another file.', {
    suggestions: ['Ask again with the file that is to be changed.'],
  });

/** Finds where a named path may lead, by the longest approved path that is a prefix of it. */
const pinOf = (paths: ResolvedTargets['paths'], asked: string): ApprovedPath | undefined => {
  const ends = paths.flatMap(({ real }) => (real === undefined ? [] : [{ asked: real, real }]));
  return (
    [...paths, ...ends]
      // A name that cannot be made absolute lies in no root, so nothing below it can be opened.
      .filter((path) => isAbsolute(path.asked) && isAtOrBelow(asked, path.asked))
      .reduce<ApprovedPath | undefined>(
        (best, path) => (best && best.asked.length >= path.asked.length ? best : path),
        undefined,
      )
  );
};

const leadsWhereItDid = (pin: ApprovedPath, { asked, absolute }: OpenedPath): boolean => {
  if (pin.real === undefined) return false;
  return pin.asked === asked ? pin.real === absolute : isAtOrBelow(absolute, pin.real);
};

/**
 * Throws when the file is not one that the approval covers. Files that the input does not name may be
 * read. Call it with what will be opened, not with what was looked up some time before.
 */
export const assertApprovedPath = (
  { targets, paths }: ResolvedTargets,
  opened: OpenedPath,
  access: Access,
): void => {
  const pin = pinOf(paths, opened.asked);
  if (pin && !leadsWhereItDid(pin, opened)) throw elsewhere();
  if (access === 'write' && namesFiles(targets) && !isBelowTargets(targets, opened.absolute)) {
    throw otherFile();
  }
};

/**
 * Tells whether a pattern covers the paths of a call. Patterns match names, so each name must be no
 * link, or lead to what the person saw when the pattern was allowed.
 */
export const isWithinPattern = (
  seen: readonly string[],
  { paths }: Pick<ResolvedTargets, 'paths'>,
): boolean =>
  paths.every(
    ({ asked, real }) => real !== undefined && (real === asked || isBelowTargets(seen, real)),
  );
