/** Lists what a source file declares, imports and exports, from its syntax tree. */
import type ts from 'typescript-api';
import type { Compiler } from './load-compiler.ts';

export interface OutlineNode {
  readonly kind: string;
  readonly name?: string;
  readonly line: number;
  readonly endLine: number;
  readonly exported?: boolean;
  readonly children?: OutlineNode[];
}

export interface ImportEntry {
  readonly module: string;
  readonly names: string[];
  readonly line: number;
  readonly typeOnly: boolean;
}

export interface SourceOutline {
  readonly ast: OutlineNode[];
  readonly imports: ImportEntry[];
  readonly exports: string[];
  readonly truncated: boolean;
}

const MAX_NODES = 5_000;
const MAX_DEPTH = 250;

/** Declarations that get a line of the outline, by the name of their kind. */
const OUTLINED: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'ClassExpression',
  'InterfaceDeclaration',
  'TypeAliasDeclaration',
  'EnumDeclaration',
  'EnumMember',
  'ModuleDeclaration',
  'VariableDeclaration',
  'MethodDeclaration',
  'MethodSignature',
  'PropertyDeclaration',
  'PropertySignature',
  'Constructor',
  'GetAccessor',
  'SetAccessor',
  'ArrowFunction',
  'FunctionExpression',
]);

interface Walk {
  readonly ts: Compiler;
  readonly file: ts.SourceFile;
  left: number;
  cut: boolean;
}

const nameOf = (node: ts.Node): string | undefined => {
  const name = 'name' in node ? (node.name as ts.Node | undefined) : undefined;
  return name?.getText();
};

const isExported = (node: ts.Node, { ts: compiler }: Walk): boolean => {
  // The modifiers of a variable are two levels above it.
  const owner = compiler.isVariableDeclaration(node) ? node.parent.parent : node;
  return (
    compiler.canHaveModifiers(owner) &&
    (compiler.getModifiers(owner) ?? []).some(
      ({ kind }) => kind === compiler.SyntaxKind.ExportKeyword,
    )
  );
};

const lineOf = (walk: Walk, position: number): number =>
  walk.file.getLineAndCharacterOfPosition(position).line + 1;

const outlineChildren = (node: ts.Node, walk: Walk, depth: number): OutlineNode[] => {
  const entries: OutlineNode[] = [];
  walk.ts.forEachChild(node, (child) => {
    entries.push(...outline(child, walk, depth));
  });
  return entries;
};

const outline = (node: ts.Node, walk: Walk, depth: number): OutlineNode[] => {
  if (depth > MAX_DEPTH || walk.left <= 0) {
    walk.cut = true;
    return [];
  }
  const kind = walk.ts.SyntaxKind[node.kind] ?? '';
  const children = outlineChildren(node, walk, depth + 1);
  const name = nameOf(node);
  const isNamed = name !== undefined || kind === 'Constructor';
  // A function without a name belongs to what it is assigned to.
  if (!OUTLINED.has(kind) || !isNamed) return children;
  walk.left -= 1;
  return [
    {
      kind,
      ...(name !== undefined && { name }),
      line: lineOf(walk, node.getStart(walk.file)),
      endLine: lineOf(walk, node.getEnd()),
      ...(isExported(node, walk) && { exported: true }),
      ...(children.length > 0 && { children }),
    },
  ];
};

const namesOfClause = (clause: ts.ImportClause | undefined): string[] => {
  const bindings = clause?.namedBindings;
  const named =
    bindings === undefined
      ? []
      : 'elements' in bindings
        ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).getText())
        : [`* as ${bindings.name.text}`];
  return [...(clause?.name ? ['default'] : []), ...named];
};

const importOf = (node: ts.Node, walk: Walk): ImportEntry[] => {
  const { ts: compiler } = walk;
  const entry = (module: ts.Node | undefined, names: string[], typeOnly: boolean): ImportEntry[] =>
    module !== undefined && compiler.isStringLiteralLike(module)
      ? [{ module: module.text, names, line: lineOf(walk, node.getStart(walk.file)), typeOnly }]
      : [];
  if (compiler.isImportDeclaration(node)) {
    const { importClause: clause } = node;
    return entry(node.moduleSpecifier, namesOfClause(clause), clause?.isTypeOnly === true);
  }
  if (compiler.isExportDeclaration(node)) return entry(node.moduleSpecifier, [], node.isTypeOnly);
  if (compiler.isExternalModuleReference(node)) return entry(node.expression, ['default'], false);
  if (!compiler.isCallExpression(node)) return [];
  const isDynamic = node.expression.kind === compiler.SyntaxKind.ImportKeyword;
  const isRequire = compiler.isIdentifier(node.expression) && node.expression.text === 'require';
  return isDynamic || isRequire ? entry(node.arguments[0], [], false) : [];
};

/** Lists the imports. Walks level by level, so that deep nesting cannot exhaust the stack. */
const importsOf = (walk: Walk): ImportEntry[] => {
  const entries: ImportEntry[] = [];
  const waiting: ts.Node[] = [walk.file];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    entries.push(...importOf(node, walk));
    walk.ts.forEachChild(node, (child) => void waiting.push(child));
  }
  return entries.sort((one, other) => one.line - other.line);
};

const namesIn = (name: ts.BindingName): string[] =>
  'text' in name
    ? [name.text]
    : name.elements.flatMap((element) => ('name' in element ? namesIn(element.name) : []));

const exportsOf = (statement: ts.Statement, walk: Walk): string[] => {
  const { ts: compiler } = walk;
  if (compiler.isExportAssignment(statement)) return [statement.isExportEquals ? '=' : 'default'];
  if (compiler.isExportDeclaration(statement)) {
    const { exportClause: clause } = statement;
    if (clause === undefined) return ['*'];
    return compiler.isNamedExports(clause)
      ? clause.elements.map(({ name }) => name.text)
      : [clause.name.text];
  }
  const modifiers = compiler.canHaveModifiers(statement) ? compiler.getModifiers(statement) : [];
  const kinds = (modifiers ?? []).map(({ kind }) => kind);
  if (!kinds.includes(compiler.SyntaxKind.ExportKeyword)) return [];
  if (kinds.includes(compiler.SyntaxKind.DefaultKeyword)) return ['default'];
  if (compiler.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  }
  const name = nameOf(statement);
  return name === undefined ? [] : [name];
};

export const outlineSource = (compiler: Compiler, file: ts.SourceFile): SourceOutline => {
  const walk: Walk = { ts: compiler, file, left: MAX_NODES, cut: false };
  const ast = outlineChildren(file, walk, 0);
  return {
    ast,
    imports: importsOf(walk),
    exports: [...new Set(file.statements.flatMap((statement) => exportsOf(statement, walk)))],
    truncated: walk.cut,
  };
};
