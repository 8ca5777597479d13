/** Loading a module does nothing and keeps nothing: no module-level state, no work, no await. */
import ts from 'typescript-api';
import { isTest, type Problems, parse, placeOf, type SourceText } from './source-text.ts';

/** Programs, not modules: they exist to run. */
const PROGRAMS = ['src/cli/main.ts'];

const CONTAINERS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/** A container that starts empty can only be meant to be filled. */
const isEmptyContainer = (node: ts.Expression | undefined): boolean => {
  if (node === undefined) return false;
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return isEmptyContainer(node.expression);
  }
  if (ts.isNewExpression(node)) {
    const name = ts.isIdentifier(node.expression) ? node.expression.text : '';
    return CONTAINERS.has(name) && (node.arguments ?? []).length === 0;
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  return ts.isObjectLiteralExpression(node) && node.properties.length === 0;
};

const isState = (node: ts.Statement): boolean =>
  ts.isVariableStatement(node) &&
  ((node.declarationList.flags & ts.NodeFlags.Const) === 0 ||
    node.declarationList.declarations.some(({ initializer }) => isEmptyContainer(initializer)));

const isAmbient = (node: ts.ModuleDeclaration): boolean =>
  (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);

const isDeclaration = (node: ts.Statement): boolean =>
  ts.isVariableStatement(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isExportAssignment(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  (ts.isModuleDeclaration(node) && isAmbient(node));

const awaits = (node: ts.Node): boolean =>
  !ts.isFunctionLike(node) &&
  (ts.isAwaitExpression(node) ||
    ts.forEachChild(node, (child) => awaits(child) || undefined) === true);

const checkFile = (source: SourceText): Problems => {
  const file = parse(source);
  return file.statements.flatMap((node) => [
    ...(isState(node) ? [`${placeOf(file, node)} keeps state in the module`] : []),
    ...(isDeclaration(node) ? [] : [`${placeOf(file, node)} works while the module loads`]),
    ...(awaits(node) ? [`${placeOf(file, node)} awaits while the module loads`] : []),
  ]);
};

export const checkLoading = (files: readonly SourceText[]): Problems =>
  files.filter(({ path }) => !isTest(path) && !PROGRAMS.includes(path)).flatMap(checkFile);
