/**
 * The parts of a condition that can be told without CEL. In `a && b` one part that is false makes
 * the whole false, whatever the others say or fail with: most rules are out before CEL is asked.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { PolicyQuestion } from '../../contract/policy.ts';
import { isDelicate, isSink } from './capability.ts';

export type QuickTest = (question: PolicyQuestion) => boolean;

const FLAGS: ReadonlyMap<string, QuickTest> = new Map<string, QuickTest>([
  ['sink', ({ tool, tier }) => isSink(tool, tier)],
  ['destructive', ({ tool, capability }) => isDelicate(tool, capability)],
  ['flow.untrusted', ({ flow }) => flow.untrusted],
]);

const TEXTS: ReadonlyMap<string, (question: PolicyQuestion) => string> = new Map<
  string,
  (question: PolicyQuestion) => string
>([
  ['tier', ({ tier }) => tier],
  ['tool.name', ({ tool }) => tool.name],
  ['tool.source', ({ tool }) => tool.source],
  ['tool.category', ({ tool }) => tool.category],
  ['caller.user', ({ caller }) => caller.userId],
  ['caller.agent', ({ caller }) => caller.agentId],
  ['caller.session', ({ caller }) => caller.sessionId],
]);

const nameOf = ({ op, args }: ASTNode): string => {
  if (op === 'id') return String(args);
  if (op !== '.') return '';
  const [owner, field] = args as unknown as [ASTNode, string];
  return `${nameOf(owner)}.${field}`;
};

const comparison = (left: ASTNode, right: ASTNode): QuickTest | undefined => {
  const read = TEXTS.get(nameOf(left));
  const wanted: unknown = right.args;
  if (!read || right.op !== 'value') return undefined;
  return (question) => read(question) === wanted;
};

/** All of them must hold for the condition to hold. */
export const quickTests = (node: ASTNode): readonly QuickTest[] => {
  const flag = FLAGS.get(nameOf(node));
  if (flag) return [flag];
  if (node.op !== '&&' && node.op !== '==') return [];
  const [left, right] = node.args as unknown as [ASTNode, ASTNode];
  if (node.op === '&&') return [...quickTests(left), ...quickTests(right)];
  return [comparison(left, right)].filter((test) => test !== undefined);
};
