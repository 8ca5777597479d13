/** Which file imports which: static, type-only, re-exported, dynamic and `import('…').Type` alike. */
import ts from 'typescript-api';
import { parse, placeOf, type SourceText, visit } from './source-text.ts';

export interface Import {
  readonly from: string;
  /** Path of a file of ours, or the bare name of a library or built-in module. */
  readonly to: string;
  readonly ours: boolean;
  readonly place: string;
  /** An `import(…)` of a value: the file is loaded when it is needed. */
  readonly isLate: boolean;
}

const specifierOf = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return node.arguments[0];
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return ts.isStringLiteral(node.argument.literal) ? node.argument.literal : undefined;
  }
  return undefined;
};

const resolve = (from: string, specifier: string): string =>
  new URL(specifier, `file:///${from}`).pathname.slice(1);

/** A dynamic import whose name is computed yields `(computed)`: no rule can judge it. */
export const importsOf = (source: SourceText): readonly Import[] => {
  const file = parse(source);
  const found: Import[] = [];
  visit(file, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const text = ts.isStringLiteralLike(specifier) ? specifier.text : '(computed)';
    const ours = text.startsWith('.');
    const to = ours ? resolve(source.path, text) : text;
    const isLate = ts.isCallExpression(node);
    found.push({ from: source.path, to, ours, place: placeOf(file, node), isLate });
  });
  return found;
};
