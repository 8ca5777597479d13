/**
 * Whoever gets a value of a public type can name the types of its parts: every type of ours that an
 * exported declaration mentions is exported as well. What it extends, and types that their own file keeps
 * to itself, are part of it: their members are judged in their place.
 */
import ts from 'typescript-api';
import { type Problems, parse, type SourceText, visit } from './source-text.ts';

/** A name as the file that declares it knows it. */
export interface Declared {
  readonly file: string;
  readonly name: string;
  /** Exported as a type alone, whatever it is. */
  readonly isType?: boolean;
}

interface Mention extends Declared {
  /** It stands behind `extends`: its members are shown, its name is not. */
  readonly isBase: boolean;
}

interface Origin extends Declared {
  /** The name in the file that was asked. */
  readonly local: string;
}

const keyOf = ({ file, name }: Declared): string => `${file} ${name}`;

const targetOf = (from: string, node: ts.Expression | undefined): string | undefined =>
  node && ts.isStringLiteral(node) && node.text.startsWith('.')
    ? new URL(node.text, `file:///${from}`).pathname.slice(1)
    : undefined;

/** Lists what a file imports from ours by name. */
const importsIn = (file: ts.SourceFile): readonly Origin[] =>
  file.statements.filter(ts.isImportDeclaration).flatMap((node) => {
    const target = targetOf(file.fileName, node.moduleSpecifier);
    const bindings = node.importClause?.namedBindings;
    if (target === undefined || !bindings || !ts.isNamedImports(bindings)) return [];
    return bindings.elements.map(({ name, propertyName }) => ({
      local: name.text,
      file: target,
      name: (propertyName ?? name).text,
    }));
  });

type Declaration =
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.ClassDeclaration
  | ts.FunctionDeclaration
  | ts.VariableDeclaration;

const declarationsIn = (file: ts.SourceFile): readonly Declaration[] =>
  file.statements.flatMap((node): readonly Declaration[] => {
    if (ts.isVariableStatement(node)) return node.declarationList.declarations;
    const isOne =
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node);
    return isOne ? [node] : [];
  });

const isHidden = (node: ts.Node): boolean =>
  (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
  ts.isBlock(node);

const isHeritage = (node: ts.Node): node is ts.ExpressionWithTypeArguments =>
  ts.isExpressionWithTypeArguments(node) && ts.isHeritageClause(node.parent);

/** Also of `extends Omit<Base, 'name'>`. */
const isInHeritage = (node: ts.Node): boolean =>
  isHeritage(node) ||
  (!ts.isTypeElement(node) && node.parent !== undefined && isInHeritage(node.parent));

/** Calls back for the types that a declaration shows: none from bodies, values and private members. */
const visitTypes = (node: ts.Node, callback: (name: string, isBase: boolean) => void): void => {
  const walk = (child: ts.Node): void => {
    if (isHidden(child)) return;
    if (ts.isArrowFunction(child)) {
      for (const each of [...child.parameters, child.type]) if (each) walk(each);
      return;
    }
    if (ts.isTypeReferenceNode(child) && ts.isIdentifier(child.typeName)) {
      callback(child.typeName.text, isInHeritage(child));
    } else if (isHeritage(child) && ts.isIdentifier(child.expression)) {
      callback(child.expression.text, true);
    }
    ts.forEachChild(child, walk);
  };
  walk(node);
};

/** Names that a declaration itself binds: its type parameters. */
const boundIn = (node: ts.Node): ReadonlySet<string> => {
  const names = new Set<string>();
  visit(node, (child) => {
    if (ts.isTypeParameterDeclaration(child)) names.add(child.name.text);
    if (ts.isInferTypeNode(child)) names.add(child.typeParameter.name.text);
  });
  return names;
};

class Sources {
  readonly #files: ReadonlyMap<string, ts.SourceFile>;

  constructor(files: readonly SourceText[]) {
    this.#files = new Map(files.map((source) => [source.path, parse(source)]));
  }

  #ownExports(path: string): readonly Declared[] {
    const file = this.#files.get(path);
    if (!file) return [];
    return declarationsIn(file)
      .filter((node) => {
        const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
        const isMarked = ({ kind }: ts.ModifierLike) => kind === ts.SyntaxKind.ExportKeyword;
        return ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isMarked);
      })
      .map(({ name }) => ({ file: path, name: name?.getText(file) ?? '' }));
  }

  /** Tells whether another file could name it. */
  isExported({ file, name }: Declared): boolean {
    return this.#ownExports(file).some((each) => each.name === name);
  }

  /** What an entry exports, by the places that declare it. */
  exportsOf(path: string): readonly Declared[] {
    const file = this.#files.get(path);
    if (!file) return [];
    const own = this.#ownExports(path);
    const others = file.statements.filter(ts.isExportDeclaration).flatMap((node) => {
      const target = targetOf(path, node.moduleSpecifier);
      if (target === undefined) return [];
      if (!node.exportClause) return this.exportsOf(target);
      if (!ts.isNamedExports(node.exportClause)) return [];
      return node.exportClause.elements.map(({ name, propertyName, isTypeOnly }) => ({
        ...this.originOf({ file: target, name: (propertyName ?? name).text }),
        isType: node.isTypeOnly || isTypeOnly,
      }));
    });
    return [...own, ...others];
  }

  /** Follows a name that a file passes on to the file that declares it. */
  originOf(declared: Declared): Declared {
    const file = this.#files.get(declared.file);
    for (const node of file?.statements.filter(ts.isExportDeclaration) ?? []) {
      const target = targetOf(declared.file, node.moduleSpecifier);
      if (target === undefined || !node.exportClause || !ts.isNamedExports(node.exportClause))
        continue;
      const passed = node.exportClause.elements.find(({ name }) => name.text === declared.name);
      if (passed) {
        return this.originOf({ file: target, name: (passed.propertyName ?? passed.name).text });
      }
    }
    return declared;
  }

  /** The types of ours that a declaration mentions. */
  mentionedBy({ file: path, name }: Declared): readonly Mention[] {
    const file = this.#files.get(path);
    if (!file) return [];
    const declarations = declarationsIn(file);
    const own = new Set(declarations.map((each) => each.name?.getText(file)));
    const imported = new Map(importsIn(file).map((each) => [each.local, each]));
    return declarations
      .filter((each) => each.name?.getText(file) === name)
      .flatMap((each) => {
        const bound = boundIn(each);
        const mentioned: Mention[] = [];
        visitTypes(each, (type, isBase) => {
          if (bound.has(type)) return;
          const origin = imported.get(type);
          if (origin) mentioned.push({ ...this.originOf(origin), isBase });
          else if (own.has(type)) mentioned.push({ file: path, name: type, isBase });
        });
        return mentioned;
      });
  }
}

/** Lists what the entries export, by the places that declare it. */
export const exportsOf = (
  files: readonly SourceText[],
  entries: readonly string[],
): readonly Declared[] => {
  const sources = new Sources(files);
  return entries.flatMap((path) => sources.exportsOf(path));
};

/** Judges the exports of all entries together: a type may come from another one. */
export const checkPublicTypes = (
  files: readonly SourceText[],
  entries: readonly string[],
): Problems => {
  const sources = new Sources(files);
  const exported = entries.flatMap((path) => sources.exportsOf(path));
  const names = new Set(exported.map(keyOf));
  const missing = new Map<string, string>();
  const reached = new Map(exported.map((each) => [keyOf(each), each]));
  // Grows while it is read: what a declaration mentions is judged as well.
  for (const each of reached.values()) {
    for (const { isBase, ...type } of sources.mentionedBy(each)) {
      const key = keyOf(type);
      if (!reached.has(key)) reached.set(key, type);
      if (isBase || names.has(key) || missing.has(key) || !sources.isExported(type)) continue;
      missing.set(key, `${type.file} ${type.name} is not exported, ${each.name} mentions it`);
    }
  }
  return [...missing.values()];
};
