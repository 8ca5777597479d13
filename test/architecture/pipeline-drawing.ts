/** The pipeline in three places that must agree: the code, the drawing and the list of what must be. */
import ts from 'typescript-api';
import { type Problems, parse, type SourceText, visit } from './source-text.ts';

/** What types cannot see (a missing `record` or `governResult`), this list does. */
export const MANDATORY = [
  'record',
  'resolve',
  'validateInput',
  'inspect',
  'authorize',
  'replay',
  'limitRate',
  'authenticate',
  'checkPreconditions',
  'approve',
  'reserveBudget',
  'governResult',
  'applyEffects',
  'recover',
  'execute',
] as const;

const STEPS = new Set(['through', 'endingIn']);

/** The name of the stage that `.through(name(…))` or `.endingIn(name(…))` puts in. */
const stageOf = (node: ts.Node): { name: string; at: number } | undefined => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
    return undefined;
  if (!STEPS.has(node.expression.name.text)) return undefined;
  const [given] = node.arguments;
  const maker = given && ts.isCallExpression(given) ? given.expression : given;
  return maker && { name: maker.getText(), at: maker.getStart() };
};

/** The stages in the order of the text, which is the order in which a call meets them. */
export const stagesOf = (source: SourceText): readonly string[] => {
  const found: { name: string; at: number }[] = [];
  visit(parse(source), (node) => {
    const stage = stageOf(node);
    if (stage) found.push(stage);
  });
  return found.sort((a, b) => a.at - b.at).map(({ name }) => name);
};

/** The first words of the lines of the block marked `pipeline`, numbers left out. */
export const drawnStages = (page: string): readonly string[] => {
  const block = /^```pipeline\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  return block.split('\n').flatMap((line) => /^\s*\d+\.?\s+(\w+)/.exec(line)?.[1] ?? []);
};

const differences = (
  what: string,
  found: readonly string[],
  wanted: readonly string[],
): Problems =>
  found.join() === wanted.join()
    ? []
    : [`${what} has ${found.join(', ') || 'no stages'}; it must have ${wanted.join(', ')}`];

export const checkPipeline = (source: SourceText, page: string): Problems => [
  ...differences(source.path, stagesOf(source), MANDATORY),
  ...differences('the drawing', drawnStages(page), MANDATORY),
];
