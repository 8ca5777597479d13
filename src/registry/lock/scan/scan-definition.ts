/** Looks through a definition from outside for what its author would rather a person did not see. */
import type { LockFinding } from '../../../contract/lock.ts';
import type { Visible } from '../visible.ts';
import { definitionTexts } from './definition-texts.ts';
import { findConcealed } from './find-concealed.ts';
import { findInstructions } from './find-instructions.ts';
import { findInvisible } from './find-invisible.ts';
import { findShadowing } from './find-shadowing.ts';
import type { NamedTool, NameIndex } from './name-index.ts';

export interface ScanDeps {
  readonly tool: NamedTool;
  readonly names: NameIndex;
  readonly visible: Visible;
}

const MAX_CHARACTERS = 300_000;
const MAX_FINDINGS = 50;
const TOO_LONG: LockFinding = {
  kind: 'hidden_instruction',
  path: '',
  message: `it holds more than ${MAX_CHARACTERS} characters of text, too many to look through`,
};

const rank = ({ kind }: LockFinding): number => (kind === 'suspicious' ? 1 : 0);

/** The worst first. Takes time in proportion to the text, up to a limit. */
export const scanDefinition = (
  definition: unknown,
  { tool, names, visible }: ScanDeps,
): readonly LockFinding[] => {
  const texts = definitionTexts(definition);
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_CHARACTERS) return [TOO_LONG];
  const found = texts.flatMap(({ path, text }) => [
    ...findInvisible(text, path, visible),
    ...findInstructions(text, path, visible),
    ...findConcealed(text, path, visible),
  ]);
  return [...found, ...findShadowing(tool, texts, names)]
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_FINDINGS);
};

/** Whether any of it is reason enough to hold the tool back. */
export const isGrave = (findings: readonly LockFinding[]): boolean =>
  findings.some((finding) => rank(finding) === 0);
