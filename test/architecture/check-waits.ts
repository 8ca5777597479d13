/**
 * `vi.waitFor` without options gives up after one second, which a busy machine takes for a first
 * import alone: a test that uses it so fails by chance. `eventually` of the fixtures has patience, and
 * `expect.poll` gets its patience from `vitest.config.ts`.
 */
import ts from 'typescript-api';
import { type Problems, parse, placeOf, type SourceText, visit } from './source-text.ts';

const HASTY = ['vi.waitFor', 'vi.waitUntil'];

export const checkWaits = (files: readonly SourceText[]): Problems =>
  files.flatMap((source) => {
    const file = parse(source);
    const problems: string[] = [];
    visit(file, (node) => {
      if (!ts.isCallExpression(node) || node.arguments.length > 1) return;
      const name = node.expression.getText(file);
      if (HASTY.includes(name)) problems.push(`${placeOf(file, node)} gives up after one second`);
    });
    return problems;
  });
