/** A local name is a noun that says what it holds: not that something was found, known, wanted, kept or told. */
import ts from 'typescript-api';
import { isTest, type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

const EMPTY_NAMES = new Set(['found', 'known', 'wanted', 'kept', 'told']);

/** A destructured field that keeps its name is named by its record. */
const isNamedHere = (node: ts.Node): node is ts.VariableDeclaration | ts.ParameterDeclaration =>
  ts.isVariableDeclaration(node) ||
  ts.isParameter(node) ||
  (ts.isBindingElement(node) &&
    (node.propertyName !== undefined || ts.isArrayBindingPattern(node.parent)));

export const checkLocalNames = (files: readonly SourceText[]): Problems =>
  files
    .filter(({ path }) => !isTest(path))
    .flatMap((source) => {
      const file = parse(source);
      const problems: string[] = [];
      visit(file, (node) => {
        if (!isNamedHere(node) || !ts.isIdentifier(node.name)) return;
        if (!EMPTY_NAMES.has(node.name.text)) return;
        problems.push(`${placeOf(file, node)} "${node.name.text}" does not say what it holds`);
      });
      return problems;
    });
