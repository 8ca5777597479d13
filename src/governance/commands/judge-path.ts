/**
 * Judges the paths that a command names: below the root from every folder the command can be in, no
 * device, no secret name, and for writing no name that programs trust.
 */
import { resolve } from 'node:path';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import { segmentsOf } from '../paths/path-text.ts';
import { protectedRule, sensitiveRule } from '../paths/sensitive-names.ts';
import { refuse } from './refusal.ts';
import type { Token } from './token.ts';

export type PathAccess = 'read' | 'write';

export interface PathJudge {
  readonly root: string;
  /** Folders that relative paths may start from; the root is one of them. */
  readonly bases: readonly string[];
  readonly protectedNames: readonly string[];
  /** Resolves the links of a path. */
  readonly followLinks: (absolute: string) => string;
  /** Tells whether a word of git names branches and no file in a folder; none does when absent. */
  readonly namesBranches?: (word: string, folder: string) => boolean;
  /** Called with every path that was found harmless. */
  readonly note: (absolute: string, access: PathAccess) => void;
}

/** A pattern may only match source text and its like: never keys, environments or credentials. */
const HARMLESS_PATTERN =
  /^(?:[\w@+-][\w.@+-]*\/|\*\*?\/|\.{1,2}\/)*[\w@+*?-][\w.@+*?-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|md|mdx|txt|rst|html|s?css|vue|svelte|sql|csv|log)$/;

const outside = (): never =>
  refuse(
    'A path leads out of the workspace or to a device.',
    'Use paths below the workspace root only.',
  );

const judgeAbsolute = (absolute: string, access: PathAccess, judge: PathJudge): void => {
  const below = segmentsBelow(judge.root, absolute) ?? outside();
  if (/^\/(?:dev|proc|sys)(?:\/|$)/.test(absolute)) outside();
  if (sensitiveRule({ above: segmentsOf(judge.root), below, isFolder: false }) !== undefined) {
    refuse('A path names a file that holds secrets.', 'Leave files with secrets alone.');
  }
  if (access === 'read') return;
  if (below.length === 0) refuse('The workspace root itself would change.', 'Name a file in it.');
  if (protectedRule(below, judge.protectedNames) !== undefined) {
    refuse('A path names a file that programs trust.', 'Write to another file.');
  }
};

/** Judges a path whose text is known. Throws a `Refusal`. */
export const judgePath = (path: string, access: PathAccess, judge: PathJudge): void => {
  if (path === '/dev/null') return;
  if (path === '') refuse('A path is empty.', 'Name the file.');
  for (const base of judge.bases) {
    const absolute = resolve(base, path);
    judgeAbsolute(absolute, access, judge);
    judgeAbsolute(judge.followLinks(absolute), access, judge);
    judge.note(absolute, access);
  }
};

/** Judges a word in the position of a path. `-` is a standard stream. Throws a `Refusal`. */
export const judgePathToken = (token: Token, access: PathAccess, judge: PathJudge): void => {
  if (token.kind === 'static') {
    if (token.text !== '-') judgePath(token.text, access, judge);
    return;
  }
  if (token.kind === 'stream' && access === 'read') return;
  if (token.kind !== 'glob' || !HARMLESS_PATTERN.test(token.text)) {
    refuse(
      'A path is not known before the command runs, or is a pattern that may match secrets.',
      'Name the files themselves, or quote what is no file pattern.',
    );
  }
  judgePath(token.text, access, judge);
};
