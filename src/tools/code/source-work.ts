/** The work of the code tools on source texts: outline, complexity or imports of each, in order. */
import type ts from 'typescript-api';
import { ToolFailure } from '../../contract/errors.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import { type Compiler, loadCompiler } from './load-compiler.ts';
import { outlineSource, type SourceOutline } from './outline-source.ts';
import { parseSource, type SyntaxProblem } from './parse-source.ts';

export interface FunctionMeasure {
  readonly name: string;
  readonly line: number;
  readonly complexity: number;
  readonly lines: number;
}

const DECISIONS: ReadonlySet<string> = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoStatement',
  'CaseClause',
  'CatchClause',
  'ConditionalExpression',
]);

const JUMPS: ReadonlySet<string> = new Set(['&&', '||', '??', '&&=', '||=', '??=']);

const isDecision = (compiler: Compiler, node: ts.Node): boolean =>
  compiler.isBinaryExpression(node)
    ? JUMPS.has(node.operatorToken.getText())
    : DECISIONS.has(compiler.SyntaxKind[node.kind] ?? '');

/** Names a function: without its own name, after what it is assigned to. */
const nameOf = (compiler: Compiler, node: ts.SignatureDeclaration): string => {
  if (compiler.isConstructorDeclaration(node)) return 'constructor';
  if (node.name) return node.name.getText();
  const { parent } = node;
  const isAssigned =
    compiler.isVariableDeclaration(parent) ||
    compiler.isPropertyAssignment(parent) ||
    compiler.isPropertyDeclaration(parent);
  return isAssigned ? parent.name.getText() : '(anonymous)';
};

interface Tally {
  readonly node: ts.FunctionLikeDeclaration;
  complexity: number;
}

const hasBody = (compiler: Compiler, node: ts.Node): node is ts.FunctionLikeDeclaration =>
  compiler.isFunctionLike(node) && 'body' in node && node.body !== undefined;

/** Measures every function with a body. A nested function counts for itself, not for the outer one. */
const measureComplexity = (compiler: Compiler, file: ts.SourceFile): readonly FunctionMeasure[] => {
  const tallies: Tally[] = [];
  // A list instead of recursion, so that deep nesting cannot exhaust the stack.
  const waiting: { readonly node: ts.Node; readonly owner: Tally | undefined }[] = [
    { node: file, owner: undefined },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let { owner } = next;
    const { node } = next;
    if (hasBody(compiler, node)) {
      owner = { node, complexity: 1 };
      tallies.push(owner);
    } else if (owner && isDecision(compiler, node)) owner.complexity += 1;
    const within = owner;
    compiler.forEachChild(node, (child) => void waiting.push({ node: child, owner: within }));
  }
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  return tallies
    .map(({ node, complexity }) => {
      const line = lineOf(node.getStart(file));
      const lines = lineOf(node.getEnd()) - line + 1;
      return { name: nameOf(compiler, node), line, complexity, lines };
    })
    .sort((one, other) => one.line - other.line);
};

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** The answer of each task for one source. */
export interface SourceAnswers {
  readonly outline: SourceOutline & { readonly errors: readonly SyntaxProblem[] };
  readonly measure: readonly FunctionMeasure[];
  /** The modules it imports. */
  readonly imports: readonly string[];
}

export type SourceTask = keyof SourceAnswers;

export interface SourceJob {
  readonly task: SourceTask;
  readonly sources: readonly SourceText[];
  readonly compiler: CompilerOptions;
}

type Work<T extends SourceTask> = (compiler: Compiler, source: SourceText) => SourceAnswers[T];

const outline: Work<'outline'> = (compiler, { path, text }) => {
  const { file, errors } = parseSource(compiler, path, text);
  return { ...outlineSource(compiler, file), errors };
};

const measure: Work<'measure'> = (compiler, { path, text }) => {
  try {
    return measureComplexity(compiler, parseSource(compiler, path, text).file);
  } catch (error) {
    // A text that cannot be parsed has no functions; the linter reports its faults.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
};

const imports: Work<'imports'> = (compiler, { text }) =>
  compiler.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

const TASKS: { readonly [T in SourceTask]: Work<T> } = { outline, measure, imports };

export const prepare = async ({ task, sources, compiler: options }: SourceJob) => {
  const { ts: compiler } = await loadCompiler(options);
  return (): readonly SourceAnswers[SourceTask][] =>
    sources.map((source) => TASKS[task](compiler, source));
};
