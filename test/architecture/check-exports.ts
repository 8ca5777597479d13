/**
 * Named exports only, no `export *` but those of the contract's lists, and an `index.ts` only where the package
 * publishes an entry.
 */
import ts from 'typescript-api';
import { importsOf } from './imports.ts';
import { type Problems, parse, placeOf, type SourceText } from './source-text.ts';

export interface PackageFile {
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const isDefault = (node: ts.Statement): boolean =>
  (ts.isExportAssignment(node) && !node.isExportEquals) ||
  (ts.canHaveModifiers(node) &&
    (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) ||
  (ts.isExportDeclaration(node) &&
    node.exportClause !== undefined &&
    ts.isNamedExports(node.exportClause) &&
    node.exportClause.elements.some(({ name }) => name.text === 'default'));

/** `export * from` and `export * as name from`. */
const isStar = (node: ts.Statement): boolean =>
  ts.isExportDeclaration(node) &&
  (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause));

const ROOT_ENTRY = 'src/index.ts';
/** The root entry holds all of the contract's entry, and that the lists of its parts: their exports have names. */
const WHOLE_LISTS: Readonly<Record<string, readonly string[]>> = {
  [ROOT_ENTRY]: ['./contract/index.ts'],
  'src/contract/index.ts': [
    './calling.ts',
    './flows-and-jobs.ts',
    './observation.ts',
    './ports.ts',
    './writing-tools.ts',
  ],
};
const isWholeList = ({ fileName }: ts.SourceFile, node: ts.Statement): boolean =>
  ts.isExportDeclaration(node) &&
  node.exportClause === undefined &&
  Object.entries(WHOLE_LISTS).some(
    ([path, lists]) =>
      fileName.endsWith(path) &&
      lists.some((list) => node.moduleSpecifier?.getText() === `'${list}'`),
  );

const checkFile = (source: SourceText): Problems => {
  const file = parse(source);
  return file.statements.flatMap((node) => [
    ...(isStar(node) && !isWholeList(file, node)
      ? [`${placeOf(file, node)} exports everything of another file`]
      : []),
    ...(isDefault(node) ? [`${placeOf(file, node)} has a default export`] : []),
  ]);
};

/** The source behind a published file: `./dist/a/b.js` → `src/a/b.ts`. */
const sourceOf = (target: string): string =>
  target.replace(/^\.\/dist\//, 'src/').replace(/(\.d\.ts|\.js)$/, '.ts');

const targetsOf = ({ exports = {}, bin = {} }: PackageFile): readonly string[] =>
  [
    ...Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? entry : Object.values(entry),
    ),
    ...Object.values(bin).map((path) => (path.startsWith('./') ? path : `./${path}`)),
  ].filter((target) => target.startsWith('./dist/'));

/** A published entry is a door for others; inside, it would tie every file to every other. */
const barrelImports = (source: SourceText): Problems =>
  importsOf(source)
    .filter(({ ours, to }) => ours && to.endsWith('/index.ts') && source.path !== ROOT_ENTRY)
    .map(({ place, to }) => `${place} imports the entry ${to}; import the file`);

/** The sources of what a program may import. */
export const entriesOf = ({ exports = {} }: PackageFile): readonly string[] => [
  ...new Set(targetsOf({ exports }).map(sourceOf)),
];

export const checkExports = (files: readonly SourceText[], pack: PackageFile): Problems => {
  const paths = new Set(files.map(({ path }) => path));
  const entries = new Set(targetsOf(pack).map(sourceOf));
  return [
    ...files.flatMap(checkFile),
    ...files.flatMap(barrelImports),
    ...[...entries].filter((path) => !paths.has(path)).map((path) => `published, missing: ${path}`),
    ...[...paths]
      .filter((path) => path.endsWith('/index.ts') && !entries.has(path))
      .map((path) => `${path} is a barrel: only published entries may be called index.ts`),
  ];
};
