/** The environment, the console, the clock and chance are read in the few files named here only. */
import ts from 'typescript-api';
import { isTest, type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

type Reach = 'environment' | 'console' | 'clock or chance';

/** Who may, by the start of the path. A longer list needs a reason in the review. */
const ALLOWED: Readonly<Record<Reach, readonly string[]>> = {
  environment: ['src/config/read-environment.ts'],
  console: ['src/cli/'],
  'clock or chance': ['src/crib/create-runtime.ts'],
};

const CLOCKS = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'process.hrtime',
  'process.uptime',
  'DateTime.now',
]);

/** `a.b` and `a['b']` as `a.b`; '' for anything else. */
const dotted = (node: ts.Node): string => {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return `${node.expression.text}.${node.name.text}`;
  }
  return ts.isElementAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    ts.isStringLiteralLike(node.argumentExpression)
    ? `${node.expression.text}.${node.argumentExpression.text}`
    : '';
};

/** `const { env } = process` and `import { env } from 'node:process'`. */
const takesEnv = (node: ts.Node): boolean => {
  if (ts.isBindingElement(node)) {
    const taken = (node.propertyName ?? node.name).getText();
    const owner = node.parent.parent;
    return (
      taken === 'env' &&
      ts.isVariableDeclaration(owner) &&
      owner.initializer?.getText() === 'process'
    );
  }
  if (!ts.isImportSpecifier(node)) return false;
  const from = node.parent.parent.parent.moduleSpecifier.getText().slice(1, -1);
  return (node.propertyName ?? node.name).text === 'env' && /^(node:)?process$/.test(from);
};

/** `new Date()` and `Date()`: with an argument they only convert. */
const isToday = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'Date' &&
  (ts.isCallExpression(node) || (node.arguments ?? []).length === 0);

const reachOf = (node: ts.Node): Reach | undefined => {
  const name = dotted(node);
  if (name === 'process.env' || takesEnv(node)) return 'environment';
  if (name.startsWith('console.')) return 'console';
  return CLOCKS.has(name) || isToday(node) ? 'clock or chance' : undefined;
};

const checkFile = (source: SourceText): Problems => {
  const file = parse(source);
  const problems: string[] = [];
  visit(file, (node) => {
    const reach = reachOf(node);
    if (reach === undefined || ALLOWED[reach].some((start) => source.path.startsWith(start)))
      return;
    problems.push(`${placeOf(file, node)} reaches for the ${reach}; have it handed in`);
  });
  return problems;
};

export const checkAmbient = (files: readonly SourceText[]): Problems =>
  files.filter(({ path }) => !isTest(path)).flatMap(checkFile);
