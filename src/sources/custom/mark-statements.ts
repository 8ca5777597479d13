/**
 * Inserts a marker before statements, so that errors in them are reported at their own line. QuickJS
 * records positions for calls and expression statements only: an error in `return a.b` would be reported
 * at the last call before it. A marker is an expression statement, nearly free, and adds no line.
 */
import type { Node, Program } from 'acorn';

/** esbuild never writes a zero like this. */
const MARKER = '0x0;';
const MARKERS = /\{?0x0;/g;

const MARKED: ReadonlySet<string> = new Set([
  'ReturnStatement',
  'VariableDeclaration',
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'ThrowStatement',
]);

/** Fields that may hold one statement without braces. */
const SINGLE: readonly string[] = ['consequent', 'alternate', 'body'];
const HOLDERS: ReadonlySet<string> = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
]);
const LISTS: ReadonlySet<string> = new Set(['Program', 'BlockStatement', 'StaticBlock']);

interface Insertion {
  readonly at: number;
  readonly text: string;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const statementsOf = (
  node: Node & { body?: unknown; consequent?: unknown },
): readonly unknown[] => {
  if (LISTS.has(node.type) && Array.isArray(node.body)) return node.body;
  return node.type === 'SwitchCase' && Array.isArray(node.consequent) ? node.consequent : [];
};

const insertionsAt = (node: Node): readonly Insertion[] => {
  const inLists = statementsOf(node)
    .filter(isNode)
    .filter(({ type }) => MARKED.has(type))
    .map(({ start }) => ({ at: start, text: MARKER }));
  if (!HOLDERS.has(node.type)) return inLists;
  const single = SINGLE.map((key) => (node as unknown as Record<string, unknown>)[key])
    .filter(isNode)
    .filter(({ type }) => MARKED.has(type));
  return single.flatMap(({ start, end }) => [
    { at: start, text: `{${MARKER}` },
    { at: end, text: '}' },
  ]);
};

const collect = (program: Program): readonly Insertion[] => {
  const insertions: Insertion[] = [];
  const waiting: unknown[] = [program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) waiting.push(...node.filter((each) => each !== null));
    if (!isNode(node)) continue;
    insertions.push(...insertionsAt(node));
    waiting.push(
      ...Object.values(node).filter((each) => typeof each === 'object' && each !== null),
    );
  }
  // Stable, so that a brace that closes an inner statement comes before one that closes an outer.
  return insertions.toSorted((a, b) => a.at - b.at);
};

/** Returns code that cannot be parsed as it is. */
export const markStatements = async (code: string): Promise<string> => {
  const { parse } = await import('acorn');
  let program: Program;
  try {
    program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch {
    return code;
  }
  const pieces: string[] = [];
  let done = 0;
  for (const { at, text } of collect(program)) {
    pieces.push(code.slice(done, at), text);
    done = at;
  }
  return pieces.join('') + code.slice(done);
};

/** Gives the column before the markers were inserted. Both count from 1. */
export const columnWithoutMarkers = (code: string, line: number, column: number): number => {
  const text = code.split('\n')[line - 1] ?? '';
  let shift = 0;
  for (const { 0: marker, index } of text.matchAll(MARKERS)) {
    if (index + marker.length < column) shift += marker.length;
    else if (index < column - 1) shift += column - 1 - index;
  }
  return column - shift;
};
