/** Each promise names tests that exist, are not skipped, and are run by the suite. */
import ts from 'typescript-api';
import { importsOf } from './imports.ts';
import { isTest, type Problems, parse, type SourceText } from './source-text.ts';

export interface Proof {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** The title of the test itself, without those of the `describe` blocks around it. */
  readonly name: string;
}

export interface Guarantee {
  readonly id: string;
  readonly promise: string;
  readonly tests: readonly Proof[];
}

const RUNNERS = new Set(['it', 'test']);
const SKIPS = new Set(['skip', 'todo', 'fails']);

/** `it.each([…])` → `['it', 'each']`; `describe.skip` → `['describe', 'skip']`. */
const wordsOf = (node: ts.Expression): readonly string[] => {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...wordsOf(node.expression), node.name.text];
  if (ts.isCallExpression(node)) return wordsOf(node.expression);
  return ts.isTaggedTemplateExpression(node) ? wordsOf(node.tag) : [];
};

const titleOf = (node: ts.Expression | undefined): string | undefined =>
  node && (ts.isStringLiteralLike(node) ? node.text : undefined);

/** Titles of the tests that run; what stands below a skipped `describe` does not. */
export const testTitles = (source: SourceText): ReadonlySet<string> => {
  const titles = new Set<string>();
  const walk = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const words = wordsOf(node.expression);
      const known = words[0] === 'describe' || RUNNERS.has(words[0] ?? '');
      if (known && words.some((word) => SKIPS.has(word))) return;
      const title = RUNNERS.has(words[0] ?? '') ? titleOf(node.arguments[0]) : undefined;
      if (title !== undefined) titles.add(title);
    }
    ts.forEachChild(node, walk);
  };
  walk(parse(source));
  return titles;
};

/** Tests, and the suites below test/ that they reach by imports. */
const reachedByTests = (files: readonly SourceText[]): ReadonlySet<string> => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const walk = (path: string): void => {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) return;
    reached.add(path);
    for (const { to } of importsOf(file)) if (to.startsWith('test/')) walk(to);
  };
  for (const { path } of files) if (isTest(path)) walk(path);
  return reached;
};

type ProblemOf = (proof: Proof) => string | undefined;

const proofChecker = (files: readonly SourceText[]): ProblemOf => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = reachedByTests(files);
  return ({ file, name }) => {
    const source = byPath.get(file);
    if (source === undefined) return `${file} does not exist`;
    if (!testTitles(source).has(name)) return `${file} has no test "${name}"`;
    return reached.has(file) ? undefined : `${file} is a suite that no test calls`;
  };
};

export const checkGuarantees = (
  guarantees: readonly Guarantee[],
  files: readonly SourceText[],
): Problems => {
  const problemOf = proofChecker(files);
  return guarantees.flatMap(({ id, promise, tests }, index) => [
    ...(promise.trim() === '' ? [`${id} promises nothing`] : []),
    ...(tests.length === 0 ? [`${id} has no test`] : []),
    ...(guarantees.findIndex((other) => other.id === id) < index ? [`${id} is there twice`] : []),
    ...tests.flatMap((proof) => {
      const problem = problemOf(proof);
      return problem === undefined ? [] : [`${id}: ${problem}`];
    }),
  ]);
};
