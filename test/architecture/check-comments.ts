/**
 * Each source file opens with what it answers for, no declaration has two doc comments, and none carries a
 * note about unfinished work.
 */
import ts from 'typescript-api';
import { isTest, type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b/;
/** Shorter than this says nothing. */
const MIN_WORDS = 3;

/** Every comment once, by where it starts: tokens are visited too, so that none is missed. */
const commentsOf = (file: ts.SourceFile): ReadonlyMap<number, string> => {
  const found = new Map<number, string>();
  const walk = (node: ts.Node): void => {
    const before = ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(file.text, node.getEnd()) ?? [];
    for (const { pos, end } of [...before, ...after]) found.set(pos, file.text.slice(pos, end));
    for (const child of node.getChildren(file)) walk(child);
  };
  walk(file);
  return found;
};

/** The comment on the first line, or on the second below a `#!` line; '' when there is none. */
const openingOf = (file: ts.SourceFile): string => {
  const start = ts.getShebang(file.text)?.length ?? 0;
  const [first] = ts.getLeadingCommentRanges(file.text, start) ?? [];
  return first && file.text.slice(start, first.pos).trim() === ''
    ? file.text.slice(first.pos, first.end)
    : '';
};

/** Tells whether a doc comment stands above another one: it belongs to something else, or to nothing. */
const hasMisplacedDoc = (file: ts.SourceFile, node: ts.Node): boolean => {
  if (!(ts.isStatement(node) || ts.isTypeElement(node) || ts.isClassElement(node))) return false;
  const docs = (ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? []).filter(
    ({ pos }) => file.text.startsWith('/**', pos),
  );
  // The first statement of a file may have the opening of the file above its own.
  return docs.length > (node === file.statements[0] ? 2 : 1);
};

const checkFile = (source: SourceText): Problems => {
  const file = parse(source);
  const problems: string[] = [];
  visit(file, (node) => {
    if (hasMisplacedDoc(file, node)) {
      problems.push(`${placeOf(file, node)} has two doc comments`);
    }
  });
  const words = openingOf(file).match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < MIN_WORDS && !isTest(source.path)) {
    problems.push(`${source.path} does not open with a comment on what it answers for`);
  }
  for (const [position, comment] of commentsOf(file)) {
    const mark = UNFINISHED.exec(comment)?.[1];
    if (mark === undefined) continue;
    const line = file.getLineAndCharacterOfPosition(position).line + 1;
    problems.push(`${source.path}:${line} says ${mark}`);
  }
  return problems;
};

export const checkComments = (files: readonly SourceText[]): Problems => files.flatMap(checkFile);
