/**
 * Holds the files of an approved call to what was approved: a path that the call names has to lead
 * where it led when the person said yes, each time it is used, and nothing else is written.
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

/** True when one of the targets is the file or a folder above it. */
export const isBelowTargets = (targets: readonly string[], path: string): boolean =>
  filesOf(targets).some((file) => isAtOrBelow(path, file));

/** A call whose input names no file was approved for whatever it does with its files. */
const namesFiles = (targets: readonly string[]): boolean =>
  targets.some((target) => target.startsWith(FILE) || target.startsWith(UNREACHABLE));

const elsewhere = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'The path leads elsewhere than when it was approved.', {
    suggestions: ['Ask again: the person has to see where the path leads now.'],
  });

/** The failure of a call one of whose files or folders is not the one that was approved. */
export const exchanged = (): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', 'A file or folder was exchanged since it was approved.', {
    suggestions: ['Ask again: the person has to see what is there now.'],
  });

const otherFile = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'The approval was given for another file.', {
    suggestions: ['Ask again with the file that is to be changed.'],
  });

/** Where a path may lead that the input names, by the longest name that stands at its beginning. */
const pinOf = (paths: ResolvedTargets['paths'], asked: string): ApprovedPath | undefined => {
  const ends = paths.flatMap(({ real }) => (real === undefined ? [] : [{ asked: real, real }]));
  return (
    [...paths, ...ends]
      // A name that cannot be spelled out lies in no root, so nothing below it can be opened.
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
 * A pattern speaks of names. It answers for a call as long as no link stands behind a name, or the
 * link leads to what the person saw when the pattern was allowed.
 */
export const isWithinPattern = (
  seen: readonly string[],
  { paths }: Pick<ResolvedTargets, 'paths'>,
): boolean =>
  paths.every(
    ({ asked, real }) => real !== undefined && (real === asked || isBelowTargets(seen, real)),
  );
