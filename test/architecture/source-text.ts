/**
 * The text of the repository as the architecture rules see it: paths relative to the root, with
 * forward slashes, so that a fixture of two made-up files is as good an input as the real tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Problems found, one a line; empty when the rule holds. */
export type Problems = readonly string[];

const root = fileURLToPath(new URL('../../', import.meta.url));

export const readText = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

/** Every TypeScript file below a folder of the repository, in a stable order. */
export const readSources = (folder: string): readonly SourceText[] =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => ({ path, text: readText(path) }));

/** Tests are held to their own length and to nothing else here. */
export const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** Every rule asks for the same trees; parsing them once keeps the suite quick. */
const parsed = new WeakMap<SourceText, ts.SourceFile>();

export const parse = (source: SourceText): ts.SourceFile => {
  const known = parsed.get(source);
  if (known) return known;
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  parsed.set(source, file);
  return file;
};

/** `src/a.ts:12`, the way an editor can jump to. */
export const placeOf = (file: ts.SourceFile, node: ts.Node): string =>
  `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;

/** Calls back for a node and everything below it, in the order of the text. */
export const visit = (node: ts.Node, callback: (node: ts.Node) => void): void => {
  callback(node);
  ts.forEachChild(node, (child) => visit(child, callback));
};
