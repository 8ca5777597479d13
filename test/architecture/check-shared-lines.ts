/**
 * No twelve lines of code stand in two places, whatever is around them: a mechanism that is part of two
 * functions is one of its own. Blank lines, comments, imports and passed-on exports are not counted.
 */
import ts from 'typescript-api';
import { isTest, type Problems, parse, type SourceText } from './source-text.ts';

const MIN_LINES = 12;

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Imports, and exports of other files: two users of one file name the same things. */
const isList = (node: ts.Statement): boolean =>
  ts.isImportDeclaration(node) ||
  (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined);

const codeLines = (source: SourceText): readonly Line[] => {
  const file = parse(source);
  const lineOf = (at: number): number => file.getLineAndCharacterOfPosition(at).line;
  const lists = new Set(
    file.statements.filter(isList).flatMap((node) => {
      const first = lineOf(node.getStart(file));
      return Array.from({ length: lineOf(node.end) - first + 1 }, (_, at) => first + at);
    }),
  );
  return source.text
    .split('\n')
    .map((text, at) => ({ number: at + 1, text: text.trim() }))
    .filter(({ number, text }) => !lists.has(number - 1) && !/^(?:$|\/\/|\/\*|\*)/.test(text));
};

export const checkSharedLines = (files: readonly SourceText[]): Problems => {
  const first = new Map<string, string>();
  const problems: string[] = [];
  for (const source of files.filter(({ path }) => !isTest(path))) {
    const lines = codeLines(source);
    let reportedTo = -1;
    for (let at = 0; at + MIN_LINES <= lines.length; at += 1) {
      const run = lines.slice(at, at + MIN_LINES);
      const key = run.map(({ text }) => text).join('\n');
      const place = `${source.path}:${run[0]?.number}`;
      const other = first.get(key);
      if (other === undefined) first.set(key, place);
      else if (at > reportedTo) problems.push(`${place} repeats ${MIN_LINES} lines of ${other}`);
      if (other !== undefined) reportedTo = at + 1;
    }
  }
  return problems;
};
