/** Finds sentences in a definition that give a model orders which its user never sees. */
import type { LockFinding } from '../../../contract/lock.ts';
import type { Visible } from '../visible.ts';
import { foldText } from './fold-text.ts';
import { INSTRUCTION_PATTERNS } from './instruction-patterns.ts';

const CONTEXT = 20;
const MAX_QUOTED = 120;
/** Shorter comments, such as `<!-- toc -->`, are mere markers. */
const MIN_COMMENT_WORDS = 4;

const quote = (
  text: string,
  { at, length }: { readonly at: number; readonly length: number },
  visible: Visible,
): string => {
  const from = Math.max(0, at - CONTEXT);
  const part = text.slice(from, from + Math.min(length + 2 * CONTEXT, MAX_QUOTED));
  return `"${visible.text(part.trim())}"`;
};

const orders = (text: string, path: string, visible: Visible): readonly LockFinding[] => {
  const folded = foldText(text);
  const findings = new Map<string, LockFinding>();
  for (const { pattern, says } of INSTRUCTION_PATTERNS) {
    const match = findings.has(says) ? null : pattern.exec(folded);
    if (!match) continue;
    const quoted = quote(folded, { at: match.index, length: match[0].length }, visible);
    findings.set(says, { kind: 'hidden_instruction', path, message: `${says}: ${quoted}` });
  }
  return [...findings.values()];
};

/** Finds comments in markup: a person who sees the rendered text does not see them. */
const comments = (text: string, path: string, visible: Visible): readonly LockFinding[] => {
  const findings: LockFinding[] = [];
  let at = text.indexOf('<!--');
  while (at >= 0) {
    const end = text.indexOf('-->', at + 4);
    const inner = text.slice(at + 4, end < 0 ? text.length : end).trim();
    const words = inner.split(/\s+/, MIN_COMMENT_WORDS).length;
    if (inner !== '') {
      const kind = words >= MIN_COMMENT_WORDS ? 'hidden_instruction' : 'suspicious';
      const quoted = quote(inner, { at: 0, length: inner.length }, visible);
      findings.push({ kind, path, message: `it holds a comment that is not shown: ${quoted}` });
    }
    if (end < 0 || findings.length > 3) break;
    at = text.indexOf('<!--', end);
  }
  return findings;
};

/** Shorter texts cannot hold an order, and most texts of a schema are shorter. */
const MIN_LENGTH = 12;

export const findInstructions = (
  text: string,
  path: string,
  visible: Visible,
): readonly LockFinding[] =>
  text.length < MIN_LENGTH
    ? []
    : [...orders(text, path, visible), ...comments(text, path, visible)];
