/**
 * No function stands in two places. Two functions, or methods of classes, are copies when they have the
 * same name and the same tokens, whatever their own parameters and variables are called; a long one
 * whatever its name.
 */
import ts from 'typescript-api';
import { isTest, type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

/** Shorter ones are an expression with a name, such as `typeof value === 'string'`. */
const MIN_TOKENS = 16;
/** From here on a copy is found under another name as well. Shorter methods may be the same by their port. */
const MIN_TOKENS_UNNAMED = 40;

interface Definition {
  readonly name: string;
  readonly place: string;
  readonly tokens: readonly string[];
}

const functionOf = (node: ts.Expression | undefined): ts.Node | undefined =>
  node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) ? node : undefined;

/** Names that the function itself gives: those of another copy may differ. */
const ownNames = (node: ts.Node): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  visit(node, (child) => {
    const isBinding =
      ts.isParameter(child) || ts.isVariableDeclaration(child) || ts.isBindingElement(child);
    if (!isBinding || !ts.isIdentifier(child.name)) return;
    // A destructured field without a new name is the name of the field, too.
    if (ts.isBindingElement(child) && child.propertyName === undefined) return;
    if (!names.has(child.name.text)) names.set(child.name.text, `$${names.size}`);
  });
  return names;
};

const tokensOf = (file: ts.SourceFile, node: ts.Node): readonly string[] => {
  const own = ownNames(node);
  const tokens: string[] = [];
  const walk = (child: ts.Node): void => {
    const below = child.getChildren(file).filter((each) => !ts.isJSDoc(each));
    for (const each of below) walk(each);
    if (below.length > 0) return;
    const text = child.getText(file);
    if (text !== '') tokens.push(ts.isIdentifier(child) ? (own.get(text) ?? text) : text);
  };
  walk(node);
  return tokens;
};

interface NamedBody {
  readonly name: string;
  readonly node: ts.Node;
  readonly body: ts.Node | undefined;
  readonly minTokens: number;
}

/** Lists the functions that a statement defines, and the methods of a class. */
const bodiesIn = (file: ts.SourceFile, node: ts.Statement): readonly NamedBody[] => {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name, initializer }) => ({
      name: name.getText(file),
      node,
      body: functionOf(initializer),
      minTokens: MIN_TOKENS,
    }));
  }
  if (ts.isFunctionDeclaration(node)) {
    return [{ name: node.name?.text ?? '', node, body: node, minTokens: MIN_TOKENS }];
  }
  if (!ts.isClassDeclaration(node)) return [];
  return node.members.filter(ts.isMethodDeclaration).map((method) => ({
    name: method.name.getText(file),
    node: method,
    body: method.body,
    minTokens: MIN_TOKENS_UNNAMED,
  }));
};

const definitionsIn = (source: SourceText): readonly Definition[] => {
  const file = parse(source);
  return file.statements
    .flatMap((statement) => bodiesIn(file, statement))
    .flatMap(({ name, node, body, minTokens }) => {
      if (name === '' || body === undefined) return [];
      const tokens = tokensOf(file, body);
      return tokens.length < minTokens ? [] : [{ name, place: placeOf(file, node), tokens }];
    });
};

export const checkCopies = (files: readonly SourceText[]): Problems => {
  const first = new Map<string, Definition>();
  const problems: string[] = [];
  const sources = files.filter(({ path }) => !isTest(path));
  for (const definition of sources.flatMap(definitionsIn)) {
    const { name, place, tokens } = definition;
    const body = tokens.join(' ');
    const key = tokens.length < MIN_TOKENS_UNNAMED ? `${name} ${body}` : body;
    const known = first.get(key);
    if (known) problems.push(`${place} ${name} is a copy of ${known.place} ${known.name}`);
    else first.set(key, definition);
  }
  return problems;
};
