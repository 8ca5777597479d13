/**
 * Whatever a program calls has a comment with an example: the functions that the package exports, and
 * the methods of the objects that it hands out. Ports, which programs implement, need none.
 */
import ts from 'typescript-api';
import type { Declared } from './check-public-types.ts';
import { type Problems, parse, placeOf, type SourceText } from './source-text.ts';

/** What programs are handed besides the crib and its members, which all begin with `Crib`. */
const HANDED_OUT = new Set([
  ...['Catalog', 'Permissions', 'Servers', 'ToolLock', 'ToolSets', 'Events', 'MetricWatch'],
  ...['OpenAiTools', 'AnthropicTools', 'GeminiTools', 'JobContext', 'JobWorkers'],
  ...['FlowContext', 'ToolContext', 'FileAccess', 'Memory', 'McpSurface', 'McpConnection'],
]);
/** The whole of a crib, as those see it who embed it in ours. */
const INTERNAL = new Set(['CribHost', 'CribEvents']);

const isHandedOut = (name: string): boolean =>
  HANDED_OUT.has(name) || (name.startsWith('Crib') && !INTERNAL.has(name));

const hasExample = (node: ts.Node): boolean =>
  ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'example');

/** A method, or a property whose value is a function. */
const isMethod = (node: ts.TypeElement): boolean => {
  if (ts.isMethodSignature(node)) return true;
  if (!ts.isPropertySignature(node) || !node.type) return false;
  const types = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type];
  return types.some(
    (type) =>
      ts.isFunctionTypeNode(type) ||
      (ts.isParenthesizedTypeNode(type) && ts.isFunctionTypeNode(type.type)),
  );
};

/** Lists the methods without an example; one of several overloads is enough. */
const methodsWithout = (file: ts.SourceFile, node: ts.InterfaceDeclaration): Problems => {
  const methods = node.members.filter(isMethod);
  const shown = new Set(methods.filter(hasExample).map(({ name }) => name?.getText(file)));
  return methods
    .filter(({ name }) => !shown.has(name?.getText(file)))
    .map((each) => `${placeOf(file, each)} ${node.name.text}.${each.name?.getText(file)}`);
};

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** The functions and classes that a statement exports, by name. */
const valuesIn = (node: ts.Statement): readonly (readonly [string, ts.Node])[] => {
  if (!isExported(node)) return [];
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
    return [[node.name?.text ?? '', node]];
  }
  if (!ts.isVariableStatement(node)) return [];
  return node.declarationList.declarations
    .filter(({ initializer }) => initializer && ts.isArrowFunction(initializer))
    .map(({ name }) => [name.getText(), node]);
};

const checkFile = (source: SourceText, exported: readonly Declared[]): Problems => {
  const file = parse(source);
  const names = new Set(exported.map(({ name }) => name));
  const called = new Set(exported.filter(({ isType }) => !isType).map(({ name }) => name));
  const values = file.statements.flatMap(valuesIn).filter(([name]) => called.has(name));
  const shown = new Set(values.filter(([, node]) => hasExample(node)).map(([name]) => name));
  return [
    ...values
      .filter(([name]) => !shown.has(name))
      .map(([name, node]) => `${placeOf(file, node)} ${name}`),
    ...file.statements
      .filter(ts.isInterfaceDeclaration)
      .filter(({ name }) => isHandedOut(name.text) && names.has(name.text))
      .flatMap((node) => methodsWithout(file, node)),
  ].map((problem) => `${problem} has no @example`);
};

/** Judges the files that declare what the entries export. */
export const checkExamples = (
  files: readonly SourceText[],
  exported: readonly Declared[],
): Problems =>
  files.flatMap((source) => {
    const own = exported.filter(({ file }) => file === source.path);
    return own.length === 0 ? [] : checkFile(source, own);
  });
