/**
 * A regular expression among what `toMatchObject` expects fits anything at all: vitest compares its
 * own fields, of which it has none. `expect.stringMatching` means what it says.
 */
import ts from 'typescript-api';
import { type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

const isMatch = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'toMatchObject';

/** In objects and lists only: what a call makes of its arguments is its own affair. */
const bareExpressions = (node: ts.Node): readonly ts.Node[] => {
  if (ts.isRegularExpressionLiteral(node)) return [node];
  if (ts.isPropertyAssignment(node)) return bareExpressions(node.initializer);
  if (ts.isObjectLiteralExpression(node)) return node.properties.flatMap(bareExpressions);
  return ts.isArrayLiteralExpression(node) ? node.elements.flatMap(bareExpressions) : [];
};

export const checkMatchers = (files: readonly SourceText[]): Problems =>
  files.flatMap((source) => {
    const file = parse(source);
    const problems: string[] = [];
    visit(file, (node) => {
      if (!isMatch(node)) return;
      for (const found of node.arguments.flatMap(bareExpressions)) {
        problems.push(`${placeOf(file, found)} expects ${found.getText()}, which fits anything`);
      }
    });
    return problems;
  });
