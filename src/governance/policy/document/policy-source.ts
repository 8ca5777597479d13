/** A policy document and where it comes from; its kind says how far it is trusted. */
import type { PolicyDocument } from './policy-document.ts';

export type PolicyPath = readonly (string | number)[];

export interface PolicySource {
  /** The file it was read from, or a name for what a program handed over. */
  readonly origin: string;
  /** What a `project` says can narrow, never widen; `program` counts like `user`. */
  readonly kind: 'user' | 'project' | 'program';
  readonly document: PolicyDocument;
  /** The line on which the value at a path is written. */
  lineOf?(path: PolicyPath): number | undefined;
}

/** `file:line` of what is at a path; without lines, where the document comes from. */
export const originOf = (source: PolicySource, path: PolicyPath): string => {
  const line = source.lineOf?.(path);
  return line === undefined ? source.origin : `${source.origin}:${line}`;
};
